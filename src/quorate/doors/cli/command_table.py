"""Every command by what one wants to do: its name, where it is written, and what it does in a line.

The lines are the first ones of the commands' own help, and a test sees that they are. They stand here once more because
to show all of them would otherwise take to load every command there is.
"""

from typing import Final

__all__ = ["COMMANDS", "SECTIONS"]

SECTIONS: Final = {
    "Start here": {
        "demo": ("demo:demo", "Play an example on the screen, in about twenty seconds."),
        "ask": ("ask:ask", "Put a question to a panel and get a verdict."),
        "serve": ("serve:serve", "Serve the page and the HTTP API."),
        "models": ("models:models", "List the models you can use here, or download a small one."),
        "doctor": ("models:doctor", "Check every model found here with one tiny question."),
    },
    "Ask": {
        "batch": ("batch:batch", "Put many questions to one panel."),
        "findings": ("findings:findings", "Put a diff to a panel and list what it finds."),
        "decide": ("decide:decide", "Decide on ballots from a file; no model is asked."),
        "answer": ("answer:answer", "Answer for a seat that a person holds."),
        "wait": ("wait:wait", "Wait for a deliberation that another process holds."),
        "resume": ("ask:resume", "Continue a deliberation that was interrupted."),
    },
    "Look at what was decided": {
        "list": ("record_list:list_", "List recorded deliberations, newest first."),
        "show": ("records:show", "Show a recorded deliberation in a form of your choice."),
        "diff": ("diff:diff", "Compare two deliberations."),
        "replay": ("records:replay", "Show what another rulebook would have decided."),
        "report": ("report:report", "Summarise what is recorded: outcomes, agreement, cost."),
        "memory": ("memory:memory", "Look through earlier decisions."),
    },
    "Judge what was decided": {
        "review": ("review:review", "Decide on a verdict yourself, as a person."),
        "outcome": ("outcome:outcome", "Record what turned out right."),
        "quality": ("quality:quality", "Measure a finished deliberation."),
        "seats": ("seats:seats", "Show how reliable each seat or model has been."),
        "evaluate": ("evaluate:evaluate", "Measure how right a panel is."),
        "simulate": ("simulate:simulate", "Try a panel on made-up questions before money is spent."),
    },
    "Show that nothing was changed": {
        "verify": ("verify:verify", "Check that a record is unchanged and its verdict holds."),
        "checkpoint": ("verify:checkpoint", "Save a checkpoint, to show later if a record was changed."),
        "attest": ("attest:attest", "Sign a verdict, for people who do not have its record."),
        "capsule": ("capsule:capsule", "Write a deliberation as one file that others can recompute."),
    },
    "Keep records": {
        "export": ("records:export", "Write a record to stdout as JSON lines."),
        "import": ("records:import_", "Import a record that `export` wrote."),
        "forget": ("records:forget", "Delete every text of a deliberation for good."),
        "ledger": ("ledger:ledger", "Copy all records to another ledger, or set up a database."),
    },
    "Choose panel, models and rules": {
        "panels": ("inspect:panels", "List the panels that come with quorate, and their seats."),
        "panel": ("panel:panel", "Write a panel file, check one, or allow one to act."),
        "rules": ("inspect:rules", "List protocols, rules and rulebooks, or explain one."),
        "route": ("route:route", "Show which models `auto` would choose, and why."),
        "config": ("inspect:config", "Show every setting and where it comes from, or save one."),
        "prove": ("prove:prove", "Check a rulebook on every way to vote; no model is asked."),
        "read": ("decide:read", "Show how a model's reply would be read."),
        "group": ("group:group", "Group options that mean the same."),
    },
    "Connect other programs": {
        "mcp": ("mcp:mcp", "Serve a panel to an assistant, over MCP."),
        "hook": ("hook:hook", "Let a panel answer a coding agent's permission question."),
        "worker": ("worker:worker", "Hold deliberations that were queued in a PostgreSQL ledger."),
        "import-config": ("import_config:import_config", "Turn AI Counsel's config.yaml into quorate's files."),
        "completion": ("inspect:completion", "Print the script for a shell's completion."),
        "help": ("inspect:help_", "Show the help of a command, or of all."),
    },
}

COMMANDS: Final = {name: place for section in SECTIONS.values() for name, (place, _) in section.items()}
"""Where each is written."""
