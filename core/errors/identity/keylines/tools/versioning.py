"""git, hg, svn, ssh."""

from __future__ import annotations

from core.errors.identity.keylines.entry import DETAIL, REPORT, WRAPPER, Tool, rule

TOOLS = (
    Tool(
        "ssh",
        rules=(
            rule("ssh: ", r"ssh: (?:connect to|Could not resolve).*", REPORT + 1),
            rule(
                "Permission denied (",
                r"(?:\S+: )?Permission denied \((?:publickey|password|keyboard|gssapi)[\w,-]*\).*",
                REPORT + 1,
            ),
            rule("Host key verification failed", r"Host key verification failed\.?", REPORT + 1),
            rule(
                ("kex_exchange", "Connection closed by", "Connection reset by", "Connection timed out during banner"),
                r"(?:kex_exchange_identification: |Connection (?:closed|"
                r"reset) by (?:remote|\S+ port)|Connection timed out during).*",
                REPORT,
            ),
            rule("REMOTE HOST IDENTIFICATION", r".*REMOTE HOST IDENTIFICATION HAS CHANGED.*", DETAIL),
            rule(("rsync", "scp: "), r"(?:rsync: |scp: ).*", REPORT),
            rule("rsync error: ", r"rsync error: .*", WRAPPER),
        ),
    ),
    Tool(
        "git",
        rules=(
            rule(
                ("error: gpg failed", "failed to write commit object", "error: Signing file"),
                r"(?:error: gpg failed|fatal: failed to write commit|error: Signing file).*",
                WRAPPER + 3,
            ),
            rule("Couldn't sign message", r"Couldn't sign message.*", REPORT + 1),
            rule(
                ("Could not read from remote", "The remote end hung up", "early EOF", "the remote end hung up"),
                r"fatal: (?:Could not read from remote repository|[Tt]he remote end hung up|early EOF).*",
                WRAPPER + 3,
            ),
            rule(
                "remote: ",
                r"remote: (?:error: GH\d+|GitLab: |fatal: |error: hook |ERROR: Repository not found).*",
                REPORT + 1,
            ),
            rule(
                ("fatal: ", "치명적: "),
                r"(?:fatal|치명적(?: 오류)?): (?!\[|Could not read from remote|"
                r"failed to write commit|[Tt]he remote end hung up|early EOF).*",
                REPORT,
            ),
            rule("CONFLICT ", r"CONFLICT \([^)]*\): .*", REPORT + 3),
            rule("충돌", r"(?:충돌|CONFLICT) ?\([^)]*\): .*", REPORT + 3),
            rule("failed to push some refs", r"error: failed to push some refs to .*", REPORT - 2),
            rule(
                "error: ",
                r"error: (?!gpg failed|failed to push|Signing file)"
                r"(?=.*(?:pathspec|refspec|\bref|merge|stash|branch|remote|untracked|overwritten|worktree|"
                r"commit|rebase|cherry-pick|could not apply|HEAD|index|submodule|patch|object|tag|repository|push|"
                r"fetch|pull|bisect|switch|checkout|unstaged|config file|브랜치|병합|커밋|경로)).*",
                REPORT,
            ),
            rule(
                "remote: ",
                r"remote: (?:error|fatal|ERROR|Permission|Repository not found|HTTP|"
                r"Invalid|GitLab|Support for password|Write access).*",
                DETAIL,
            ),
            rule(("[rejected]", "[remote rejected]"), r"! \[(?:remote )?rejected\] .*", DETAIL),
            rule(
                ("leftover conflict marker", "trailing whitespace.", "new blank line at EOF", "space before tab"),
                r"(?:leftover conflict marker|trailing whitespace\.|new blank line at EOF\.|space before tab in).*",
                REPORT,
                located="",
            ),
            rule("paths are ignored by", r"The following paths are ignored by one of your .*", REPORT),
            rule("is not a git command", r"git: '.*' is not a git command.*", REPORT),
            rule(("git이 아닙", "깃 명령"), r"git: '.*", REPORT),
            rule(
                ("added to commit", "nothing to commit"),
                r"(?:no changes added to commit|nothing added to commit but|nothing to commit,?) .*",
                WRAPPER,
            ),
            rule("Automatic merge failed", r"Automatic merge failed.*", WRAPPER),
            rule("Aborting", r"Aborting\Z", WRAPPER - 5),
        ),
    ),
    Tool("svn", rules=(rule("svn: E", r"svn: E\d{6}: .*", REPORT),)),
    Tool("hg", rules=(rule("abort: ", r"abort: .*", REPORT),)),
)
