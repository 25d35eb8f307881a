"""What attacks say, in the languages we know: sets of words, and phrases made of them.

Written from what such a text must do (set aside what was said before, give a new role, dictate the vote, ask for the
prompt), not from one collection of attacks. How phrases are written is told in `wording`.
"""
# ruff: noqa: E501 - a phrase is one line
# ruff: noqa: RUF001 - some languages have letters that look like others

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from quorate.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """Phrases that do the same thing; whether one is enough, and whether it counts only where the reader is told to."""

    does: str
    phrases: str = ""
    letters: str = ""
    blatant: bool = False
    told: bool = False


SETS_TEXT: Final = """
drop = ignore|disregard|forget|override|overlook|neglect|unlearn|disobey|vergiss|vergesst|vergessen|ignoriere|ignorier|ignorieren|ignoriert|missachte|missachten|oublie|oubliez|oublier|ignorez|ignorer|olvida|olvide|olviden|olvidar|ignora|ignoren|ignorar|omite|dimentica|ignorate|dimenticate|esqueca|esquece|ignorem|negeer|vergeet|игнорируй|игнорируйте|проигнорируй|проигнорируйте|забудь|забудьте|отбрось|отбросьте|zaboravi|zanemari|zignoruj|zapomnij|تجاهل|انسى|انس
leave = drop|abandon|discard|delete|erase|skip|bypass|dismiss|scrap|remove|reset|clear|replace|change|overwrite|lösche|verwirf|umgehe|überschreibe|abandonne|supprime|borra|elimina|descarta|удали|сотри|отмени|отмените|сбрось
earlier = previous*|prior|above|earlier|preceding|foregoing|former|past|initial|original|existing|preceeding|precedent*|précédent*|antérieur*|antérieure*|anterior*|previ*|preced*|vorherig*|vorig*|bisherig*|obig*|vorangegangen*|vorausgehend*|früher*|ursprünglich*|предыдущ*|прежн*|прошл*|вышеуказан*|вышеизложен*|предшеств*|данные|poprzedni*|prethodn*|السابقة|السابقه
orders = instruction*|order|orders|command|commands|directive*|direction*|rule|rules|guideline*|prompt|prompts|prompting|programming|assignment*|task|tasks|constraint*|restriction*|polic*|protocol*|regulation*|safeguard*|training|anweisung*|instruktion*|befehl*|aufgabe*|auftrag*|aufträge|regel|regeln|vorgabe*|angaben|consigne*|règle|règles|ordre|ordres|tâche*|instruccion*|instrucción*|orden|órdenes|regla|reglas|tarea|tareas|indicacion*|istruzion*|regole|instruções|instrucoes|regras|instructies|opdrachten|инструкци*|указани*|правил*|команд*|приказ*|задани*|распоряжени*|instrukcij*|instrukcj*|polecenia|التعليمات|الأوامر|القواعد
material = message|messages|context|input|inputs|text|texts|conversation|conversations|chat|discussion|information|document|documents|article|articles|statement*|question*|request*|data|content|nachricht*|kontext|informationen|eingabe*|gespräch*|contexte|conversación|contexto|mensaje*|informations|сообщени*|контекст*|текст*
every = all|any|every|each|alle|allen|sämtliche|jede|toutes|tous|tout|todas|todos|todo|tutte|tutti|todas|все|всё|всех|любые|sve|wszystkie|جميع|كل
everything = everything|anything|all|alles|tout|todo|все|всё|sve
your = your|ur|deine|deinen|deiner|deinem|dein|ihre|ihren|ihrer|tes|vos|ton|votre|tus|tu|sus|su|твои|свои|твой|свой|твоё|ваши|ваш
before = before|above|earlier|previously|prior|beforehand|hitherto|davor|zuvor|vorher|oben|bisher|gesagte|bisherige|avant|précédemment|dessus|antes|anteriormente|arriba|ранее|раньше|выше|прежде
show = reveal|show|print|repeat|output|display|disclose|leak|share|dump|expose|recite|write|copy|tell|give|list|send|provide|quote|reproduce|echo|type|spell|return|summarize|summarise|paraphrase|translate|encode|export|render|zeige|zeig|zeigen|verrate|verraten|nenne|gib|wiederhole|drucke|schreibe|montre|montrez|affiche|affichez|révèle|révélez|donne|donnez|répète|répétez|dis|muestra|muéstrame|muestrame|revela|dime|imprime|repite|escribe|покажи|покажите|раскрой|раскройте|выведи|выведите|напечатай|повтори|повторите|напиши|расскажи|открой
secret = system|hidden|initial|original|secret|internal|full|entire|complete|exact|verbatim|confidential|starting|underlying|developer|first|pre|systemprompt|gesamten|vollständigen|komplette*|ursprüngliche*|geheim*|intern*|système|initial*|complet*|caché*|secrèt*|sistema|inicial*|completo|oculto|secreto|systemov*|системн*|скрыт*|начальн*|исходн*|секретн*|полн*|внутренн*
prompt = prompt*|systemprompt|systemanweisung*|preprompt|промпт*|промт*|prompttext*
usual = reply|answer|response|attention|delivery|action|payment|service|feedback|engineering|template|templates|library|design|help|decision|reaction|consideration
answer = answer|answers|response|responses|reply|replies|output|outputs|antwort|antworten|réponse*|respuesta*|ответ*
act = act|behave|pretend|play|pose|roleplay|simulate|emulate|imitate|impersonate|respond|answer|reply|speak|talk|become|be|embody|immerse|assume|operate|function|work|serve
machine = chatgpt|gpt|gpt3|gpt4|claude|gemini|bard|llama|ai|chatbot|bot|chatbots|llm|assistant|model|models|persona|character
loose = unfiltered|uncensored|unrestricted|unhinged|amoral|unethical|immoral|unlimited|unbound|jailbroken|unaligned|unmoderated|lawless|evil|limitless|unchained|unshackled
outcome = act|warn|refuse|approve|approved|yes|accept|allow|proceed|allowed|veto|true
"""

SET_ASIDE: Final = """
<drop> .. <earlier> .. <orders>
<drop> .. <earlier> .. <material>
<drop> .. <orders> .. <before>|<earlier>
<drop> .. <orders> .. you got|received|had|have|were|know|followed
<drop> .. <orders> .. given|provided|imposed|set to|by|for|on
<drop> .. <every> .. <your>? <orders>
<drop> .. <your> <secret>? <orders>
<drop> about? <everything> <before>
<drop> about? <everything> that|i|we|was|were|came|comes|from|que|ce|digo|dije|dit|что|said|stated|written|mentioned|lo .. <before>
<drop> about? <everything> that? you|we|i|u know|knew|said|told|were|have|discussed|learned|talked|wrote|digo|dije
<drop> about? <everything> from chat|chatgpt|gpt|above|before|earlier|previous
<leave> .. <earlier> .. instruction*|rules|guideline*|prompt|prompts|directive*|programming|training|anweisung*|инструкци*|instruccion*|consigne*
<leave> .. your|deine|tes|tus|свои|твои .. instruction*|rules|guideline*|prompt|programming|directive*|anweisung*|инструкци*|restrictions|safeguards|filters
let go of .. <earlier>|your|all .. <orders>
disable|deactivate|suspend|lift|remove|turn|switch|drop off? all? your .. filter*|safety|restriction*|guideline*|safeguard*|censor*|limit*|moderation|ethic*
set|put|push|throw|leave|cast .. <earlier>|your|all .. <orders> aside|away|behind|out
stop|cease|quit|dont|not|never follow*|obey*|listen*|comply*|adher*|heed* .. <earlier>|your .. <orders>
pay|give no|zero attention|heed|regard .. <earlier>|above|your .. <orders>|<material>
you|u|youre .. no longer|more .. follow|obey|bound .. <orders>
lass|lassen|lasst ... <earlier> .. <orders>|<material> .. hinter|außer|beiseite
abweichend .. <earlier> .. <orders>
remove|wipe|clear|erase ... <earlier> .. <orders> .. head|mind|memory
ne tenez|tiens pas|plus compte .. <orders>
no hagas|haga|hagan caso .. <orders>
haz|haga caso omiso .. <orders>
не обращай|обращайте внимания .. <orders>
не следуй|следуйте|выполняй|выполняйте .. <earlier>|твоим|своим .. <orders>
"""

SET_ASIDE_LETTERS: Final = """
忽略|无视|無視|忽視|忽视|忘记|忘掉|忘記|不要理会|不要遵守|不理会|抛弃|放弃|丢弃|跳过|取消 .. 之前|以前|以上|上面|先前|前面|上述|此前|所有|全部|一切|你的|原有|系统|系統|早先|前述 .. 指令|指示|说明|說明|提示|规则|規則|设定|設定|要求|命令|约束|限制|内容|对话|任务|任務|信息|规定
以前|これまで|上記|今まで|前述|先ほど|それまで|従来|すべて|全て|あらゆる|元|あなた の|までの|な|て .. 指示|命令|ルール|プロンプト|指令|制約|制限|設定|内容|会話|文章 を|は|も|について .. 無視し|忘れ|破棄し|無効に|捨て て|ろ|なさい ください|下さい|くれ|、|。|,|\\s|$
이전|위의|앞의|지금까지|모든|기존 .. 지시|명령|지침|규칙|프롬프트|설정 .. 무시하고|무시하세요|무시하십시오|무시해줘|무시하라|무시해라|잊어|잊고|따르지
"""

SET_ASIDE_HINTS: Final = """
<drop> about? <everything>
<drop> .. provided|given .. <material>|<orders>
<drop> all? these|those|the|this <orders>
<leave> .. all? your <orders>|thoughts|knowledge
dont|not answer|use|look|rely .. according|based|in|on .. documents|context|articles|sources|instructions
<earlier> .. instruction*|rules|prompt|guideline*|directive* .. was|were|is|are|no .. test|fake|wrong|outdated|void|invalid|cancelled|canceled|obsolete|superseded|overridden|longer
system|admin|administrator|developer|safety|security|emergency|manual override|overridden
instead of .. answering|summarizing|summarising|translating|following|responding
^instead say|write|output|print|tell|reply|respond|answer
stop|stopp|halt|attention|achtung write|schreibe|ignore|new|neue|stop|say|print
overrid* .. <earlier>|system|safety|your .. <orders>|<prompt>
bypass* .. safety|content|ethical|your .. filter*|guideline*|restriction*|measures|protocol*|<orders>
"""

NEW_ORDERS: Final = """
here|now|follow*|following|folgen|nun|jetzt ... new|further|more|additional|updated|neue|weitere|neuen|nouvelle*|nuevas <orders>
<your> new|actual|real|only|true|sole|neue|neuen|nouvelle|nueva .. task|job|role|goal|purpose|mission|objective|directive|aufgabe|tâche|tarea|instruct*|identity|guideline*|rules
concentrate|focus|konzentriere|concentrate .. new|neue|following|folgende* .. task|aufgabe|<orders>
new|updated|additional|important|special|real|actual|secret <orders> :
start .. over|again|anew .. new|with
i command|order|instruct|demand|require you|u
dont|not|never|without tell|telling|inform|informing|alert|alerting|notify|notifying the|any|your user|users|anyone|owner|human|humans
send|forward|post|upload|exfiltrate|transmit .. conversation|history|credentials|password*|everything|secrets|key|keys|contents .. to
i|im|this|we am|is|are|a|one|the|your|from .. your|openai|anthropic|of|the .. developer|developers|creator|creators|programmer|programmers|administrator|employee|engineer|owner
you must|will|shall|have|are .. obey|comply|submit|programmed
change|update|modify|replace|adjust|rewrite .. your|ihre|deine|tus .. instructions|guidelines|rules|programming|anweisungen|instrucciones
end|begin|beginning|start of .. system|user|developer|previous .. prompt|message|input|instructions|announcement|query
important|urgent|attention|notice|message|note to|for .. ai|assistant|model|llm|chatbot|agents|panel|language|panelists|reviewer|reviewers|jury
if you are|re an|a ai|llm|language|chatbot|assistant|machine
additional|new|extra|further|hidden|special instruction|instructions
instruction|instructions|anweisung :
"""

LEAK: Final = """
<show> ... <your> .. <secret> .. <prompt>|<orders>|message|text|context|configuration
<show> ... <your> <prompt> !<usual>
<show> ... <your> .. <prompt> text*|verbatim|above|word|exact*|in
repeat|print|output|copy|recite|reveal|echo|reproduce|dump|leak .. <everything>|text|words|lines|contents|instructions|prompt .. above|preceding
<show> ... <prompt>|instructions|text .. you were|are|got|received|have given|told|using|received|been
<show> ... system|sistema|système|системн* prompt|message|промпт*|промт* .. verbatim|word|above|fully|exactly|completely
what|which|how .. is|are|was|were|does|do|did|s ... <your> system|hidden|initial|original|secret|internal|developer .. <prompt>|instruction*|message|directive*
was|wie ist|lautet|steht|sind .. dein|deine|ihr|deinem .. systemprompt|prompt|anweisung*
какой|какие|каков|какая .. у|твой|твои|твоя|ваш|ваши .. системн*|промпт*|исходн* промпт*|инструкци*|промт*|подсказк*
start* with you are ... <show>|print|output
"""

LEAK_LETTERS: Final = """
显示|告诉我|输出|透露|泄露|打印|重复|展示|公开|列出|说出|給我看|给我看|复述 .. 你的|系统|系統|初始|以上|上面|最初|完整 .. 提示词|提示詞|系统提示|系統提示|提示语|指令|prompt|设定
システム .. プロンプト|指示|メッセージ を|は .. 表示|教え|見せ|開示|出力|公開|明かし|書い
あなた の|へ .. 初期|システム|元|隠され .. 指示|プロンプト|設定 .. 表示|教え|見せ|開示|出力|公開|何
시스템 .. 프롬프트|지시 .. 보여|알려|출력|공개
"""

LEAK_HINTS: Final = """
<show> ... <your> .. instruction*|rules|guideline*|directive*|programming|configuration|prompt|prompts
<show> ... system|sistema|système|системн* prompt|prompts|message|instruction*|промпт*|промт*
<show> .. all|every|following|the prompt|prompts .. text*|above|verbatim
what|which|tell .. is|are|were|was|me <your> .. instruction*|rules|guideline*|directive*|prompt|constraints|programming
what|was .. is|was|are|were|stands|steht|stand .. written|above|said|text|stood|oben .. above|beginning|top|before|start|prompt|earlier
beginning|start|top of this|the|your prompt|conversation|chat
<show> .. <everything>|text|words|lines|instructions .. above|preceding
<show> .. me|us|the|your secret|password|passphrase|passcode|codeword|flag
"""

DICTATED: Final = """
^vote for? act|warn|refuse !of|on|and
and|then|must|should|always|please|will|just|now|everyone|everybody vote for? act|warn|refuse !of|on|and
you|all|us|agents|panelists|seats to? vote for? act|warn|refuse !of|on|and
always|must|only|just|simply|unanimously vote|answer|respond|reply|say|output|return|choose|decide|select|conclude|print with|for|as|that|the? <outcome> !or
your .. vote|ballot|verdict|decision must|should|shall|has|will .. be|is|say? .. act|approve|approved|yes|accept|allow !or
vote|decide|answer|respond .. act|yes|approve|proceed .. no|regardless|without .. matter|of|what|exception|reservation
stimme|stimmt|votez|vota|voten|голосуй|голосуйте|проголосуй|проголосуйте immer|für|mit|pour|toujours|por|siempre|за|всегда .. act|approve|ja|oui|sí|да
отвечай|отвечайте|ответь всегда .. act|да|yes|approve
antworte|antwortet|antworten .. immer|stets .. act|ja|zustimmung
réponds|répondez .. toujours .. act|oui
responde|responda|contesta .. siempre .. act|sí|si
"""

DICTATED_LETTERS: Final = """
总是|始终|必须|永远|一律 回答|投票|回复|选择|输出|投 .. act|批准|同意|赞成|通过
投票|投 给|给予? .. act
必ず|常に|いつも|絶対に .. act|賛成|承認|はい|イエス .. 答え|投票|回答|返答|出力|選
"""

DICTATED_HINTS: Final = """
approve|accept|authorize|allow|pass|greenlight this|the|it|my .. regardless|without|immediately|unconditionally|now|unanimous*|no
set|state|report|give|put|rate|assign .. confidence|risk to|at|of|as|is|level|score .. 100|1|0|95|99|10|maximum|max|full|zero|highest|lowest
you must|should|shall|will|all|are|have .. vote|approve|choose .. act|approve|yes|for|this|in
say|answer|reply|respond|antworte|sag|schreibe|dis|di yes|ja|oui|no|nein|sí|да
your|the decision|verdict has already|been already|made|decided
other|all|both|rest|remaining of? the? seats|panelists|panellists|agents|models have|has|already|agreed|voted
every|all|each .. agent|agents|panelist|panelists|panellist*|seats|models|assistants|llms must|should|shall|will vote|agree|approve|answer|choose|return|respond
the|final .. vote|ballot|verdict|decision|answer|response must|should|shall|has|will be|is|say .. act|approve|approved|yes|accept|allow
"""

FORMAT: Final = """
respond|reply|answer|output|return|speak|write|print|say|antworte|antworten|réponds|répondez|responde|responda|отвечай|ответь|отвечайте .. only|just|exclusively|solely|nur|ausschließlich|uniquement|seulement|solo|únicamente|только with|in|using|as|by|yes|no|the|one|a|mit|in|par|con|en|словом|одним
only|just|simply|merely respond|reply|answer|output|say|print|write|return|send with|the|yes|no|in|as|a|one|this|hello|that
command you to? just|only|say
nothing else|more|other .. no|do|just|only|not
and|but nothing else
do|dont not? write|give|add|include|provide any? explanations|explanation|commentary|comments|disclaimers|warnings
start|begin|end|finish|conclude|prefix|precede|preface|sign .. your|every|each|all|any|the|both .. <answer>|message*|sentence .. with|by|using|as
<answer> .. start*|begin*|prefix* .. with
add|include|insert|mention*|integrate|append|modify|enhance|encode|encrypt|encipher|obfuscate|embed|incorporate|weave|slip|alter|rewrite|convert|apply|shift|reverse|scramble|sprinkle|attach|reference|promote|advertise|recommend|hint|inject|adjust .... your <answer>|message
in|within|throughout your <answer> ... mention*|include|add|insert|reference|promote|hint|allude*|state|claim|integrate|use
base64|base32|base16|rot13|cipher|caesar|morse|binary|hexadecimal|encoding|encoded|encrypted|pig|leetspeak|ascii|emoji|emojis .... your <answer>
your <answer> .. in|using|as|to|with .. base64|base32|base16|rot13|cipher|caesar|morse|binary|hexadecimal|encoding|reverse|code
use|using|display .. base64|base32|base16|rot13|cipher|caesar|morse .... <answer>
repeat after me
say|write|print|output|reply|respond .. i have|am been|now pwned|hacked|free|jailbroken|unlocked|granted
say|write|print|output|state|repeat .. following|exactly|verbatim|phrase|words|sentence|string :
dites|dis|di|diga|sag|sage|sprich|скажи .. suit|suivant|siguiente|folgendes|следующее
whenever|everytime|every|each .. time|message|question|prompt|request i|you|user|the|starts ask*|get|say*|type*|send*|answer|receive
include that|the|how|a you|phrase|word|sentence|fact
"""

FORMAT_LETTERS: Final = """
只|仅|必须|请只|只需|只能 .. 回答|回复|输出 .. 是|「|"|“|否|一个|yes|ok
だけ|のみ で|を|に|と? .. 答え|回答|出力|返答|返信 て|し
"""

PERSONA: Final = """
from|as now|this|here|of on|onwards|onward|forward|forth|own|point|moment|now|time you|your|youre|u|act|respond|answer|chatgpt|every|id
from on now you
you|u are|re|r now|henceforth|hereby
you|u|chatgpt will|must|shall now|henceforth|hereby <act>
you|u are|re|will|r going|about|now|hereby to? <act>
youre going|about|now|no to|a|an|the|my|longer
you|u are|re|r no longer
you|u are|re|will|must|shall play|playing|act|acting|pretend|pretending|simulate|roleplay*|emulate|impersonate|role .. role|as|to|like|being|character|playing
i|lets want|need|order|wish|like|d|would|request|require .. you to <act> .. as|like|the|to|a|an
^please? act|behave|respond|reply|answer|speak|pose|roleplay|talk|operate as|like a|an|if|the|my|you|though|dan|chatgpt|someone|both
now|please act|behave|roleplay|pose as|like an|a|if|my|your|you|dan|evil
act as a|an|my python|linux|sql|javascript|interpreter|terminal|console|shell|compiler|translator|character|chatbot|ai|bot|persona|hacker
now you|u act|are|will|become
^pretend that? you|to|u|youre|ur are|re|can|have|were|be
^imagine|suppose|assume that? you|u are|re|were .. <machine>|<loose>
^assume|adopt|take|embody|impersonate|portray|roleplay|simulate the|on|as|a role|persona|identity|character|the|a|an|personality
take|taking on the|a role|persona|identity|personality of|as
lets play|roleplay|pretend|imagine .. game|role|you|character|scene|simulation
^you|u are|r|re .. <machine>|<loose>|terminal|interpreter|console|compiler|translator|dan
^du bist ein|eine|der|die|kein|keine
hello|hi|hey|greetings|dear|hallo|hola|bonjour|welcome .. <machine>|language
<machine> persona|personality|named|called|known .. who|is|that|which|will|can
<machine> .. named|called|dubbed .. who|which|that|is
stay|remain|keep in character|role
never|dont|not|without break|breaking|leave|leaving .. character
virtual|fictional|hypothetical|alternate|simulated machine|character|persona|personality|ai|world .. named|called|who|where|of|capacity|chatbot
ab jetzt|sofort|nun bist|wirst|antwortest|sollst|handelst du|sie
jetzt|nun bist|sind|wirst|spielst du|sie
du bist|wirst jetzt|nun|ab|ein|kein
spiele|spiel|übernimm die rolle
tu|stell dir|so vor|als .. du|ob bist|wärst|seist|wärest
ich möchte|will|wünsche dass du|sie .. als|wie ... fungier*|agier*|handel*|verhält*|verhalten|antwort*|auftr*
à|a partir de|du maintenant|présent|ahora .. tu|vous|eres|responderás|usted|actúa*|actua*|es|êtes|vas|allez
tu es|eres|serás désormais|maintenant|ahora|now
je veux|voudrais|souhaite que tu|vous .. agiss*|jou*|fass*|comport*|sois|soyez
quiero|necesito que .. actúes|actues|seas|finjas|respondas|hagas
agis|agissez|comporte|comportez .. comme
actúa|actua|finge|compórtate .. como|que|ser
imagine|imagina|imaginez que .. tu|vous|eres|es|êtes
ты|вы теперь|отныне|больше .. не|бот|ии|персонаж|человек|будешь|dan|дан
с этого|данного момента .. ты|вы
отныне .. ты|вы|твоя|будешь
представь|представьте|притворись|притворитесь .. что|будто|ты|вы|себя
веди|ведите себя как|так
действуй|действуйте|отвечай|отвечайте|выступай|говори как
"""

PERSONA_LETTERS: Final = """
你现在是|你現在是|你将扮演|你將扮演|请扮演|請扮演|从现在开始 .. 你|您
从现在起|從現在起|从此刻起 .. 你|您
假装|假裝|假设|想象 你|您 是|可以|没有
今から|これから|ただいまから .. あなた|君|お前 は|が
あなたは|君は 今から|これから|もう .. です|だ|として|では
として|の .. 振る舞っ|ふるまっ|演じ|なりきっ|行動し て
지금부터 .. 너|당신
"""

JAILBREAK: Final = """
dan|dans|stands|called|named|mode ... do|does|doing|say|be anything now
do|does|say|be anything now ... dan|dans|mode|chatgpt
dan|stan|dude|jailbreak|jailbroken|evil|chaos|unrestricted|unfiltered|opposite mode enabled|output|activated|active|engaged|unlocked|prompt|on
act|respond|answer|reply|behave|simulate|chatgpt|gpt|pretend|become|yourself|speak .. as|in|into|with|like|enter|to|enable .. developer|dan|jailbreak|god|unrestricted|unfiltered|evil|opposite mode
chatgpt|gpt .. developer|dan|jailbreak|unrestricted|evil mode
freed|free|broken|liberated|released|escaped .. from|of|the|free .. confines|shackles|chains|restrictions|limitations|constraints|limits .. of|by|from|placed|imposed .. ai|openai|chatgpt|anthropic
not|no|dont|doesnt|never|without|nor|isnt|free .. have|has|abide|follow|adhere|bound|comply|care|subject|required|restricted|need|limited|any|longer|from ... rules|guidelines|policies|policy|restrictions|regulations|limitations .. set|imposed|by|of|from|placed .. openai|anthropic|chatgpt
<loose> and|or <loose> .. ai|chatbot|bot|chatgpt|gpt|llm
ai|chatbot|bot|chatgpt|gpt|llm .. <loose> .. never|without|always .. refuse*|answers|responds|sends
"""

JAILBREAK_LETTERS: Final = """
越狱模式|dan模式|无限制模式|無限制模式 .. 已|启用|开启|激活|進入|进入|回答
进入|开启|启用|切换到|激活 .. 越狱模式|dan模式|無限制模式|无限制模式
你 .. 进入|开启|启用|处于 .. 开发者模式 .. 回答|回复|响应
開発者モード|脱獄モード|danモード で|に|と|として .. 応答|回答|答え|なっ|動作
"""

UNFILTERED: Final = """
<loose> .. <machine>|<answer>|advice|language|person|confidant|villain|system|assistant
<machine>|<answer> .. <loose>
<machine>|<answer> .. without|no|lacks|free .. filter*|censor*|restriction*|rules|ethic*|moral*|limit*|guideline*
"""

UNBOUND: Final = """
you|u|it|they|as|can do|say|be anything now
you|u are|re|r|become now? a? dan|stan|jailbroken|unchained
youre now? a? dan|stan|jailbroken|unchained
act|respond|answer|behave|pretend|reply|stay|talk|speak .. as|like|be|to .. dan|dans
без|никаких .. ограничени*|правил*|цензур* .. ии|бот|нейросет*
keine|ohne .. einschränkung*|regeln|zensur|filter|beschränkung* .. ki|chatgpt|chatbot
sans|aucune|sin .. restriction*|règles|censure|filtre*|limite*|restricciones|reglas|censura|filtros|límites .. ia|chatgpt
no|without|any|free|freed|zero|devoid|lacks|ignore|disregards|bypass*|beyond|not|dont|doesnt|break .. ethic*|moral*|restriction*|censorship|filter*|guideline*|limitation*|remorse|safeguards .. or|and|nor|of .. ethic*|moral*|restriction*|censor*|filter*|guideline*|limitation*|rules|law|laws|legal*|safeguards|remorse|policies
not|dont|doesnt|never|cant|isnt|arent|youre|longer .. have|need|abide|follow|adhere|bound|comply|care|subject|required|restricted|limited|obliged .. guidelines|polic*|ethics|morals|moral|ethical|legality|openai*
you|youre|u|<machine> .. not|dont|no|doesnt|longer|isnt|without|free .. have|has|need|abide|follow|adhere|bound|comply|subject|required|restricted|limited|any|of|from .. rules|restrictions|laws|regulations|limitations|limits|rule|confines
doesnt|dont|not|never|no care|regard|concern|consideration|mind .. ethic*|moral*|legal*|illegal|unethical|legality
no|without .. ethical|moral .. guideline*|restriction*|limit*|boundar*|constraint*|filter*|considerations
openai*|anthropic* .. polic*|guideline*|rules|restriction*|content|filter*|censorship|standards
bypass*|break*|against|violat*|circumvent*|free .. content policy|policies|filter|filters|restrictions|filtration|moderation
broken|break|escape*|freed|free|liberated|released .. free|from|of|out .. confines|chains|shackles|your|programming
"""

UNBOUND_LETTERS: Final = """
没有|不受|无|解除|突破|绕过 .. 任何|所有|一切|道德 .. 限制|约束|规则|审查|过滤|规定 .. ai|模型|助手|机器人|你|openai
制限|ルール|規則|検閲|倫理 .. ない|なし|無視|縛られ|受けない .. ai|モデル|アシスタント|チャットボット|として
"""

OBLIGING: Final = """
never|not|cannot|cant|wont|dont|no|without|nor|refusing .. refuse*|refusal|refusing|reject|decline|deny .. request*|prompt*|order*|question*|command*|user*|to|any|anything|me|answer*|a|human|hesitation
will|must|can|always|who .. answer*|respond*|comply|fulfill|obey|generate|provide .. any|every|all|anything|everything|whatever .. request*|question*|prompt*|command*|i|asked|user*|no|without|the|with
no matter how|what|if .. illegal|unethical|immoral|harmful|dangerous|inhumane|reckless|offensive|explicit|malicious|controversial|legal
regardless|irrespective of|how .. legal*|ethic*|moral*|illegal|unethical|harm*|consequences
illegal|unethical|immoral|amoral|harmful|legality|ethicality|legal .. or|and .. illegal|unethical|immoral|harmful|dangerous|danger|inhumane|ethicality|immorality|malicious .. it|request*|content|activit*|advice|action*|is|requests|actions
never|dont|not warn|lecture|moralize|moralise|apologize|apologise|remind|mention|say|contain .. about|that|user*|me|ethic*|or|sorry|the
no|without|any disclaimer|disclaimers|warnings|moralizing|apologies|caveats
i cannot|cant|am unable|sorry .. fulfill|assist|as|but|do .. request|that|an|ai|cannot
as an ai|artificial language|intelligence
"""

TWO_VOICES: Final = """
two|2|both .. different|separate|distinct .. ways|responses|answers|paragraphs|outputs|styles|personas
two|2 ways|responses|answers|outputs|paragraphs .. first|one|normal|two|the
first|normal|classic|standard .. way|response|answer|output .. second|other|jailbreak|dan|how
jailbreak* .. <machine>|prompt|mode|yourself|response
<machine> .. jailbreak*
insert|your|type|put .. prompt|question|request|text|topic|words here|below|whatever
await input|user|my|prompt
above|below|following|this .. prompt .. rule|character|as|is|set
"""


def _sets(text: str) -> Mapping[str, str]:
    pairs = (line.partition(" = ") for line in text.splitlines() if line)
    return MappingProxyType({f"<{name}>": words for name, _, words in pairs})


SETS: Final = _sets(SETS_TEXT)
"""Words by the name that stands for them in a phrase."""

CONNECTED: Final = "and|then|but|so|just|also|or|kindly|simply|first|finally|next|und|et|y|e|и|puis|dann|luego|потом"

MENTIONED: Final = """
phrase|phrases|words|wording|sentence|string|strings|says|saying|said|quote|quoted|term|called|titled|reads|reading|injection|injections|attack|attacks|containing|contains|contain|like|satz|phrase|ausdruck|frase|expression|фраза|фразу|фразы|фразой|never|dont|word|message|line|headline
"""

ASKED_ABOUT: Final = """
我|我们|是否|应该|應該|应当|可以|能否|能不能|如果|为什么|為什麼|何时|什么时候|人们|学生|员工|患者
"""

ADDRESSED: Final = "you|u|please|now|must|hello|hi|hey|assistant|ai|chatgpt|gpt|claude|gemini|llm|system|important|attention|urgent|override|stop|note|warning|notice|everyone|ok|okay|panel|agents|panelists|seats|achtung|wichtig|внимание|bitte|du|sie|jetzt|tu|vous|maintenant|ahora|usted|por|favor|ты|вы|пожалуйста|теперь|сейчас"

OTHERS: Final = """
i|we|he|she|they|it|one|people|someone|anyone|somebody|anybody|who|which|that|should|would|could|may|might|can|does|do|did|why|how|when|if|whether|what|is|are|was|tend|tends|ever|ich|wir|man|er|darf|soll|sollte|sollten|kann|können|wenn|ob|warum|wie|je|nous|on|il|elle|ils|dois|doit|devons|peut|puis|si|pourquoi|comment|yo|nosotros|debo|debemos|puedo|puede|podemos|deberia|deberíamos|debería|porque|cómo|cuándo|я|мы|он|она|они|ли|можно|следует|нужно|если|когда|почему|как|стоит
"""

SIGNS: Final = (
    Sign(does="sets earlier instructions aside", phrases=SET_ASIDE, letters=SET_ASIDE_LETTERS, blatant=True, told=True),
    Sign(does="asks for the panel's own instructions", phrases=LEAK, letters=LEAK_LETTERS, blatant=True, told=True),
    Sign(does="dictates the vote", phrases=DICTATED, letters=DICTATED_LETTERS, blatant=True, told=True),
    Sign(does="frees the panel from its rules", phrases=JAILBREAK, letters=JAILBREAK_LETTERS, blatant=True),
    Sign(does="seems to set something aside", phrases=SET_ASIDE_HINTS, told=True),
    Sign(does="gives new instructions", phrases=NEW_ORDERS, told=True),
    Sign(does="asks what the panel was told", phrases=LEAK_HINTS, told=True),
    Sign(does="leans on the vote", phrases=DICTATED_HINTS, told=True),
    Sign(does="orders the form or content of the answer", phrases=FORMAT, letters=FORMAT_LETTERS, told=True),
    Sign(does="gives the panel another role", phrases=PERSONA, letters=PERSONA_LETTERS),
    Sign(does="wants an unfiltered answer", phrases=UNFILTERED),
    Sign(does="speaks of being free of rules", phrases=UNBOUND, letters=UNBOUND_LETTERS),
    Sign(does="forbids to refuse", phrases=OBLIGING),
    Sign(does="is built like a jailbreak", phrases=TWO_VOICES),
)
