"""What a package adds to quorate is there in every interface, as if it were ours."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession

from tests.doors.test_mcp import called
from tests.plugins.conftest import KEY, MAIN, OddServer, Run, run_in

ROOT = Path(__file__).parents[2]
QUESTION = "Should we restart the staging server?"

pytestmark = pytest.mark.slow


def test_its_models_are_listed_asked_and_recorded(run: Run, odd: OddServer, tmp_path: Path) -> None:
    listed = json.loads(run("models", "--json").stdout)["models"]
    asked = run("ask", QUESTION, "--model", "odd:parrot", "--quiet")
    shown = run("show", "last", "--json")

    found = next(one for one in listed if one["name"] == "odd")
    assert (found["through"], found["model"], found["models"]) == (
        "ODD_API_KEY",
        "odd:parrot",
        ["odd:parrot", "odd:crash"],
    )
    assert asked.stdout.startswith("ACT "), asked
    assert set(odd.keys) == {KEY}
    assert any(QUESTION in prompt for prompt in odd.asked)
    assert "odd:parrot" in shown.stdout
    # A record can be shown and checked by somebody who has not installed the package.
    bare = run_in(tmp_path, tmp_path / "nothing", {}, "verify", "last")
    assert bare.returncode == 0, bare.stderr


def test_its_key_is_named_in_the_configuration_and_in_what_is_missing(run: Run, tmp_path: Path, site: Path) -> None:
    configured = run("config")
    without = run_in(tmp_path, site, {}, "ask", QUESTION, "--model", "odd:parrot")
    doctor = run("doctor", "odd:parrot")

    assert any(line.split()[:2] == ["keys", "ODD_API_KEY"] for line in configured.stdout.splitlines())
    assert "set ODD_API_KEY" in without.stderr
    assert doctor.stdout.startswith("ok    odd:parrot"), doctor


def test_its_key_goes_to_no_other_address(run: Run, stranger: OddServer) -> None:
    refused = run("ask", QUESTION, "--model", "odd:parrot@http://elsewhere.example/v1")
    asked = run("ask", QUESTION, "--model", f"odd:parrot@{stranger.url}", "--quiet")
    allowed = run("ask", QUESTION, "--model", f"odd:parrot@{stranger.url}", "--allow-key", "odd@127.0.0.1", "--quiet")

    assert "ODD_API_KEY was held back" in refused.stderr
    assert "--allow-key odd@elsewhere.example:80" in refused.stderr
    assert (asked.stdout[:4], allowed.stdout[:4]) == ("ACT ", "ACT ")
    assert set(stranger.keys) == {"", KEY}
    assert stranger.keys == sorted(stranger.keys), "without a key first, with it once that was allowed"


def test_a_strangers_panel_file_sends_its_key_nowhere(run: Run, stranger: OddServer, tmp_path: Path) -> None:
    panel = "extends: tribunal\nmodel: odd:parrot@{}\n"
    (tmp_path / "far.yaml").write_text(panel.format("http://elsewhere.example/v1"))
    (tmp_path / "near.yaml").write_text(panel.format(stranger.url))

    far, near = (run("ask", QUESTION, "--panel", f"{name}.yaml") for name in ("far", "near"))
    trusted = run("ask", QUESTION, "--panel", "far.yaml", "--trust")

    assert "ODD_API_KEY" in far.stderr
    assert "ODD_API_KEY is held back" in trusted.stderr
    assert set(stranger.keys) <= {""}
    assert not any(KEY in one.stdout + one.stderr for one in (far, near, trusted))


def test_what_goes_wrong_in_its_code_is_a_silence_without_the_key(run: Run) -> None:
    asked = run("ask", QUESTION, "--model", "odd:crash", "--json")
    locked = run("ask", QUESTION, "--model", "odd:locked")

    assert "provider 'odd' of package acme-odd failed: RuntimeError" in asked.stdout
    assert "this is a bug" not in asked.stderr
    assert "ODD_API_KEY" in locked.stderr, "what to do about a key that is refused"
    assert "couldn't be asked" in locked.stdout
    assert KEY not in asked.stdout + asked.stderr + locked.stdout + locked.stderr


def test_the_reference_of_providers_lists_it(run: Run) -> None:
    code = "from tools.providers import providers\nprint(*providers(), sep='\\n')"

    listed = run(code=f"import sys; sys.path.append({str(ROOT)!r})\n{code}")

    assert "| `odd` | https://odd.example/v1 | `ODD_BASE_URL` | `ODD_API_KEY` | its own | no |" in listed.stdout


async def test_the_http_api_and_the_mcp_server_list_its_models(tmp_path: Path, site: Path, odd: OddServer) -> None:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(site)}
    env |= {"ODD_API_KEY": KEY, "ODD_BASE_URL": odd.url}
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", MAIN, "serve", "--port", "0"), stdout=asyncio.subprocess.PIPE, env=env
    )
    try:
        assert server.stdout is not None
        base, _, token = (await server.stdout.readline()).decode().strip().partition("/#token=")
        headers = {"Authorization": f"Bearer {token}"}
        async with ClientSession(headers=headers) as session, session.get(f"{base}/api/models") as answer:
            listed = await answer.json()
    finally:
        server.terminate()
        await server.wait()
    from mcp import Client, StdioServerParameters

    program = StdioServerParameters(command=sys.executable, args=["-c", MAIN, "mcp"], env=env)
    async with Client(program) as client:
        tools = await called(client, "list_models")

    assert "odd:parrot" in {one["model"] for one in listed["models"]}
    assert [one["label"] for one in tools["models"]["odd"]] == ["odd:parrot", "odd:crash"]


def test_its_ledger_keeps_a_deliberation(run: Run, tmp_path: Path) -> None:
    shelf = "shelf://me:secret@top"

    asked = run("ask", QUESTION, "--model", "odd:parrot", "--ledger", shelf, "--quiet")
    listed, shown, verified = (
        run(*words, "--ledger", shelf) for words in (["list"], ["show", "last"], ["verify", "last"])
    )
    copied = run("ledger", "copy", shelf, str(tmp_path / "copy.db"))
    configured = run("config", "--ledger", shelf)

    assert asked.returncode == 0, asked.stderr
    assert (tmp_path / "shelf" / "top.db").is_file()
    assert QUESTION in listed.stdout
    assert "ACT" in shown.stdout
    assert verified.returncode == 0
    assert "copied and checked: 1" in copied.stdout, copied
    everything = [one.stdout + one.stderr for one in (asked, listed, shown, verified, copied, configured)]
    assert not any("secret" in said for said in everything)


def test_an_unknown_or_failing_kind_of_ledger_is_a_sentence(run: Run) -> None:
    unknown, failing = run("list", "--ledger", "shlf://top"), run("list", "--ledger", "shelf://crash")

    assert "no kind of ledger 'shlf'" in unknown.stderr
    assert "did you mean 'shelf'?" in unknown.stderr
    assert "ledger 'shelf' of package acme-odd cannot be opened: RuntimeError('no such shelf')" in failing.stderr


def test_its_errand_is_run_for_its_protocol_and_recorded(run: Run, odd: OddServer) -> None:
    told = run("ask", QUESTION, "--protocol", "outing", "--model", "odd:parrot", "--quiet")
    record = run("export", "last")
    failing = run("ask", QUESTION, "--protocol", "outing", "--model", "odd:parrot", "--set", "about=crash", "--quiet")
    failed = run("export", "last")

    assert told.returncode in {0, 1}, told.stderr
    assert any("It rains in Oddtown." in prompt for prompt in odd.asked)
    assert '"kind":"weather"' in record.stdout.replace(" ", "").replace("\\", "")
    assert "acme-odd" in record.stdout
    assert "this is a bug" not in failing.stderr
    assert "errand 'weather' of package acme-odd failed" in failed.stdout


def test_its_command_is_listed_and_run_and_its_crash_is_its_own(run: Run) -> None:
    listed, ran, crashed, mistyped = run("--help"), run("greet", "Ann"), run("greet", "crash"), run("gret")

    assert "Added by other packages:" in listed.stdout
    assert "greet" in listed.stdout
    assert "acme-odd" in listed.stdout
    assert (ran.stdout, ran.returncode) == ("odd day, Ann\n", 0)
    assert "the package acme-odd failed (RuntimeError)" in crashed.stderr
    assert "this is a bug" not in crashed.stderr
    assert "did you mean 'greet'?" in mistyped.stderr


def test_help_imports_nothing_of_it(run: Run) -> None:
    code = (
        "import sys, contextlib, io\nsys.argv = ['quorate', '--help']\nfrom quorate.doors.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n    main()\n"
        "print(any(name.startswith('acme') for name in sys.modules))"
    )

    assert run(code=code).stdout == "False\n"
