"""Common English words: they say little about what a text is about, and they show that it is English.

The list is fixed, so the score of two texts depends on these two texts and on nothing else.
"""

from typing import Final

__all__ = ["COMMON", "ENGLISH", "FOREIGN", "word_set"]


def word_set(text: str) -> frozenset[str]:
    """A list of words, written as words."""
    return frozenset(text.split())


COMMON: Final = word_set(
    "able accept access account across act action add after again against agree all allow already also always "
    "among amount another answer any anything apply approach approve area argue around ask audit available avoid "
    "away back backup because become before begin behind believe below best better between beyond big board both "
    "bring build building business buy call cannot care carry case cause change check choice choose city clear "
    "close code cold combine come common company complete comprehensive compare consider contain continue cost "
    "could country course create customer customers cut daily data day days deal decide decision deep delay "
    "delete deliver deploy describe develop document documenting does done down drive during each early easy "
    "either employee end enough ensure entire equal event events ever every everyone everything example expect "
    "explain fail fall family far fast feature few field find first fix focus follow food force form found free "
    "friend from full fund further future gain get give given good government great group grow happen hard have "
    "head health hear help her here high him his hold home hours house how however human idea if improve include "
    "increase inform information inside instead internal into invest issue it its itself join just keep kind know "
    "large last late later launch law lead learn least leave left less let level life light like limit line list "
    "little live local long look lose lot love low main maintain make manage many market matter may meet member "
    "merge might milestone mind minute model money month months monitor more most mostly mother move much must "
    "name near need never new next nothing now number offer office often old once only open opinion option order "
    "other others our out over own paid paper parent part party pay people perform perhaps person phase place "
    "plan plans play point policy possible power prefer prepare present president price problem process product "
    "program project protect prove provide public publish pull push quarter question quickly quite raise ran "
    "rather reach read ready really reason receive reduce region regular relate release rely remain remember "
    "remove replace report request require research resource result return review rewrite right risk room rule "
    "run safe said same save say schedule school second security see seem sell send sense separate serve service "
    "services set several share she short should show side sign simple since site size slow small software some "
    "something soon sourcing speak spend stand start state stay step still stop store story strong structured "
    "student study such support sure system systems take talk teach team teams tell ten test testing tests than "
    "that their them then there these they thing things think this those though three through time times today "
    "together told too took top toward town track trail train trust try turn two type under understand unit until "
    "update upgrade upon use used user users using value very vote wait walk want war was water way ways we week "
    "weeks well were what when where whether which while who whole whom why will winter wish with within without "
    "woman word words work world would write year years yes yet you young your"
)
"""About five hundred words of everyday English and of office talk."""

FOREIGN: Final = word_set(
    "al aan aber als am auch auf aus bei bin bis da das dass dem den der des die dies du ein eine einem einen "
    "einer er es fuer ich ihr im ist ja kein keine keinen mit nach nicht nichts noch nur oder ohne sich sie sind "
    "statt ueber um und uns unter vom von vor war weil wenn wie wir zu zum zur au aucun aux avec ce ces chez dans "
    "de du elle en est et il ils je jamais la le les leur mais ne ni nous ou par pas plus pour puis que qui rien "
    "sa sans se ses si son sur tu un une vous antes con contra de del desde después donde el ella en entre eso "
    "esta este hacia hasta las lo los mas menos mi mis muy nada ningun nunca otra otro para pero por porque pues "
    "que quien se sin sino sobre su sus tal tras una uno unos ya yo ao aos com da das depois dos ela ele em entre "
    "essa esse eu foi isso já mais mas na nas nem nos não num numa o os ou pela pelo pra quando sem seu sua suas "
    "também tem todo todos um uma alla che chi come con cui dal degli della di dove e gli ha ho i il io lei loro "
    "ma nei nel nella non noi per piu quello questo sei senza sono su sul tra tutto una voi aan af bij dan dat de "
    "deze die dit door een en geen heb het hij ik jij maar met naar niet nog om ons ook op te tot uit van veel "
    "voor waar wat wel worden wij zich zijn zonder att av den det detta du efter eller en ett från för har inte "
    "jag och om på sig ska som till utan vad var vi af at den det dem du eller en er et fra han har hun ikke jeg "
    "med men og om over paa saa som til uden vi"
) - word_set("am a an for of in on to at is it as by do go we me so no over under per via or")
"""Small words of other European languages. A text that has one is not taken for English."""

_ALSO_ELSEWHERE: Final = word_set(
    "customer customers data feature team teams "
    "account action area audit backup board both bring business case cause check code combine comment continue "
    "cost course cut data deal deploy describe do does document drive during email event events fail fall far "
    "fast find fix form found from fund further gain group hard have held her here him his hold home human if "
    "inform information internal into issue it large last late lead let level light like limit line list live "
    "local long lose main market may meet member merge mind minute model monitor most name need nothing now offer "
    "office old once open opinion option order other paper parent part party person phase place plan plans play "
    "point policy possible power present president price problem product program project public pull push quarter "
    "question ran rather region regular release report request research resource result return review risk room "
    "run safe same save see send sense separate serve service services set share she side sign simple since site "
    "size slow small software some soon stand start state step still stop store strong student such support sure "
    "system systems take ten test testing tests than that them then time times top track train trust turn type "
    "under unit until update upgrade upon use user users very vote walk want war was water way week weeks well "
    "were will winter wish word world"
)
"""Common English words that other languages have too, or have borrowed."""

ENGLISH: Final = (COMMON - _ALSO_ELSEWHERE) | word_set("the and use adopt implement prioritize please encrypt merge")
"""Words that no other language has: a text with one of them, and with no foreign word, is English."""
