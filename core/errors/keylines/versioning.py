"""git, hg, svn, ssh."""

from __future__ import annotations

from core.errors.keylines.entry import DETAIL, REPORT, WRAPPER, Tool, rule

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
                ("error: gpg failed", "failed to write commit object"),
                r"(?:error: gpg failed|fatal: failed to write commit).*",
                WRAPPER + 3,
            ),
            rule(
                ("Could not read from remote", "The remote end hung up", "early EOF", "the remote end hung up"),
                r"fatal: (?:Could not read from remote repository|[Tt]he remote end hung up|early EOF).*",
                WRAPPER + 3,
            ),
            rule(
                ("fatal: ", "치명적: "),
                r"(?:fatal|치명적(?: 오류)?): (?!\[|Could not read from remote|"
                r"failed to write commit|[Tt]he remote end hung up|early EOF).*",
                REPORT,
            ),
            rule("CONFLICT ", r"CONFLICT \([^)]*\): .*", REPORT),
            rule("충돌", r"(?:충돌|CONFLICT) ?\([^)]*\): .*", REPORT),
            rule(
                "error: ",
                r"error: (?=.*(?:pathspec|refspec|\bref|merge|stash|branch|remote|untracked|overwritten|worktree|"
                r"commit|rebase|cherry-pick|HEAD|index|submodule|patch|object|tag|repository|push|fetch|"
                r"pull|bisect|switch|checkout|unstaged|config file|브랜치|병합|커밋|경로)).*",
                REPORT,
            ),
            rule(
                "remote: ",
                r"remote: (?:error|fatal|ERROR|Permission|Repository not found|HTTP|"
                r"Invalid|GitLab|Support for password|Write access).*",
                DETAIL,
            ),
            rule(("[rejected]", "[remote rejected]"), r"! \[(?:remote )?rejected\] .*", DETAIL),
            rule("is not a git command", r"git: '.*' is not a git command.*", REPORT),
            rule(("git이 아닙", "깃 명령"), r"git: '.*", REPORT),
            rule("Automatic merge failed", r"Automatic merge failed.*", WRAPPER),
            rule("Aborting", r"Aborting\Z", WRAPPER - 5),
        ),
    ),
    Tool("svn", rules=(rule("svn: E", r"svn: E\d{6}: .*", REPORT),)),
    Tool("hg", rules=(rule("abort: ", r"abort: .*", REPORT),)),
)
