"""What programs are to a harvest: those that only read, those that answer, those that check, those that change things.

One entry a program; a new one is a word in one of these sets. Entries of two words are a program and its subcommand.
"""

from __future__ import annotations

from typing import Final


def _set(text: str) -> frozenset[str]:
    return frozenset(" ".join(entry.split()) for entry in text.split(",") if entry.strip())


SETUP: Final = _set("""
cd, pushd, popd, Set-Location, sl, chdir, export, set, unset, setx, source, ., nvm use, fnm use, conda activate,
ulimit, umask, shopt, trap, alias, sleep, Start-Sleep, wait, clear, cls, true, :, echo, printf, Write-Host,
Write-Output, date, chcp, exit, local, declare, time, done, fi, esac, pyenv shell, asdf shell, direnv allow,
setlocal, @echo, timeout
""")
"""They prepare or decorate; a command's family leaves them out."""

SHELL_STATE: Final = _set("""
cd, pushd, popd, Set-Location, chdir, export, unset, setx, source, ., nvm use, nvm install, fnm use, conda activate,
pyenv shell, pyenv local, asdf shell, direnv allow, corepack enable, deactivate
""")
"""Set-up that changes what the next command meets."""

FILTERS_WHOLE: Final = _set(
    "tee, cat, less, more, ts, nl, fold, tac, Out-String, Tee-Object, Out-Host, strings, col, bat, script"
)
FILTERS_TAIL: Final = _set("tail")
FILTERS_PART: Final = _set("""
head, grep, egrep, fgrep, zgrep, rg, ag, ack, sed, awk, gawk, sort, uniq, cut, tr, column, jq, yq, perl, xargs,
findstr, select-string, Select-String, Select-Object, select, Where-Object, where, python, node, sls, fmt, rev
""")
FILTERS_COUNT: Final = _set("wc, md5sum, sha256sum, Measure-Object")

READERS: Final = _set("""
cat, bat, head, tail, less, more, ls, dir, ll, tree, find, fd, fdfind, stat, file, wc, sort, uniq, cut, tr, column,
nl, tac, strings, xxd, od, hexdump, jq, yq, awk, gawk, sed, echo, printf, pwd, whoami, id, hostname, uname, env,
printenv, ps, top, htop, df, du, free, uptime, lsof, ss, netstat, ip, ifconfig, dmesg, journalctl, history, man,
info, tldr, date, realpath, readlink, basename, dirname, md5sum, sha256sum, zcat, zless, curl, wget, http, dig,
nslookup, host, Get-Content, gc, type, Get-ChildItem, gci, Get-Process, Get-Item, Invoke-WebRequest, more.com, cloc,
tokei, scc, ast-grep, diffstat, open, start, xdg-open, gcloud logging, sleep, true, :, sha1sum, cal, locale, nproc,
lscpu, sw_vers, ver, systeminfo, delta, colordiff, base64, objdump, nm, ldd, readelf, git status, git log, git diff,
git show, git blame, git ls-files, git grep, git reflog, git describe, git shortlog, git rev-parse, git remote, git
cat-file, git rev-list, git ls-remote, git ls-tree, git branch, git help, git whatchanged, git name-rev, git
merge-base, git show-ref, git check-ignore, git for-each-ref, docker logs, docker ps, docker images, docker inspect,
docker version, docker info, docker stats, docker top, docker history, docker port, docker events, docker compose
logs, docker compose ps, docker compose config, docker compose images, docker container ls, docker container logs,
docker container inspect, docker network ls, docker network inspect, docker volume ls, docker volume inspect, docker
image ls, kubectl get, kubectl describe, kubectl logs, kubectl explain, kubectl top, kubectl version, kubectl
config, kubectl events, helm list, helm status, helm get, npm ls, npm list, npm view, npm info, npm outdated, npm
why, npm explain, npm root, npm help, npm search, npm docs, npm audit, npm prefix, npm bin, yarn why, yarn list,
yarn info, pnpm why, pnpm list, pnpm ls, pip list, pip show, pip freeze, pip index, pip config, pip cache, pip
debug, uv tree, uv pip list, uv pip show, poetry show, cargo tree, cargo metadata, cargo search, cargo --explain,
rustc --explain, rustup show, rustup toolchain list, go version, go env, go list, go doc, brew list, brew info, brew
search, apt list, apt show, apt-cache search, apt-cache policy, dpkg -l, systemctl status, systemctl list-units,
service status, gh pr view, gh pr list, gh pr diff, gh pr checks, gh pr status, gh issue view, gh issue list, gh run
view, gh run list, gh run watch, gh repo view, gh api, gh search, gh release view, gh release list, gh auth status,
aws sts get-caller-identity, aws configure list, aws logs, terraform show, terraform output, terraform state, heroku
logs, vercel logs, fly logs, pm2 logs, pm2 list, pm2 status, mvn dependency:tree, gradle dependencies, flutter
doctor, dotnet --info, dotnet --list-sdks, crontab -l, conda list, conda info,
git merge-tree, ssh-add -l, ssh-add -L, git worktree list, git stash list, git stash show, git submodule status, git
lfs ls-files, git bisect log, git tag -l, git tag --list, git remote show, git remote get-url, npm config get, npm
config list, kubectl rollout status, kubectl rollout history, docker system df, git rebase --show-current-patch, git
am --show-current-patch, mix hex.info, mix hex.outdated, mix hex.search, mix deps.tree, yarn outdated, bun pm ls, bun
info, bun outdated, cargo info, cargo outdated, deno info, dotnet list
""")
"""They only show what is there: their output may quote errors and never is one by its looks."""

ANSWERS: Final = _set("""
grep, egrep, fgrep, zgrep, rg, ag, ack, findstr, Select-String, diff, cmp, comm, colordiff, test, [, [[, ((, which,
whereis, where, hash, command, type, pgrep, pidof, pkill, killall, fuser, lsof, expr, false, let, Test-Path, getent,
nc, pg_isready, kill, git grep, git check-ignore, git show-ref, git merge-base, git ls-remote, systemctl is-active,
systemctl is-enabled, systemctl is-failed, npm outdated, mountpoint, zcmp, sdiff, dpkg -s, dpkg -l, redis-cli ping,
git rev-parse, git config, git ls-files, brew outdated, jq, xargs, find, Compare-Object, Get-Command, git diff, git
symbolic-ref, git branch, git merge-tree, npm audit, gh pr checks, gh run watch, gh run view, ssh-add -l, ssh-add -L,
id, kubectl diff, kubectl auth can-i, pip show, tmux ls, tmux list-sessions, tmux has-session
""")
"""Exit code 1 is their way to say no."""

SEARCHES: Final = _set("grep, egrep, fgrep, zgrep, rg, ag, ack, findstr")
"""Of those, the ones that print nothing with exit code 1."""

ANY_CODE: Final = _set("""
pg_isready, systemctl is-active, systemctl is-enabled, systemctl is-failed, lsof, nc, gh pr checks, gh run watch, gh run
view
""")
"""Of those, the ones whose every exit code is an answer."""

PRINTERS: Final = _set("""
cat, bat, head, tail, less, more, zcat, zless, nl, tac, strings, xxd, od, hexdump, sed, awk, gawk, sort, uniq, cut,
column, grep, egrep, fgrep, zgrep, rg, ag, ack, findstr, Select-String, diff, colordiff, delta, find, fd, fdfind, ls,
dir, ll, tree, stat, file, wc, jq, yq, Get-Content, gc, type, Get-ChildItem, gci, echo, printf, man, history, ast-grep,
journalctl, dmesg, git show, git log, git diff, git blame, git grep, git cat-file, git ls-files, git status, git
ls-tree, git shortlog, git reflog, docker logs, docker compose logs, docker container logs, kubectl logs, gh pr diff,
gh pr view, gh issue view, gh run view, gh api, curl, wget, http, gcloud logging, heroku logs, vercel logs, fly logs,
pm2 logs, aws logs
""")
"""They print what others wrote: only their own complaints count, not the errors that they quote."""

FILE_READERS: Final = _set("""
cat, bat, head, tail, less, more, zcat, nl, tac, strings, xxd, od, hexdump, sed, awk, gawk, sort, uniq, cut, column,
grep, egrep, fgrep, zgrep, rg, ag, ack, find, fd, fdfind, ls, dir, ll, tree, stat, file, wc, du, jq, yq, Get-Content,
gc, type, Get-ChildItem, gci, realpath, readlink, ast-grep, diff, cmp, comm, md5sum, sha256sum, git show, git log, git
diff, git blame, git grep, git cat-file, git ls-files, git ls-tree, test, [, pwd, echo, printf, cd, true, git status,
git branch, git rev-parse
""")
"""Programs that read files: a missing file is an answer to a guessed name."""

INTERPRETERS: Final = _set("python, node, deno, bun, ruby, perl, php")
"""Programs that run code from a pipe: their errors belong to the code, not to the input."""

SPEAKERS: Final = _set("gh, glab")
"""What they print when they fail is their own complaint, though it does not begin with their name."""

CHECKS: Final = _set("""
pytest, py.test, unittest, vitest, jest, mocha, ava, tap, karma, cypress, playwright, tsc, vue-tsc, svelte-check,
eslint, biome, prettier, stylelint, mypy, pyright, basedpyright, ruff, flake8, pylint, black, isort, bandit, tox,
nox, rspec, rubocop, phpunit, phpstan, psalm, ctest, shellcheck, hadolint, golangci-lint, staticcheck,
clippy-driver, yamllint, actionlint, markdownlint, ty, pyre, gcc, g++, cc, c++, clang, clang++, ld, javac, rustc,
ghc, kotlinc, scalac, swiftc, nvcc, tcc, zig, nim, cargo test, cargo check, cargo build, cargo clippy, cargo run,
cargo nextest, cargo fmt, cargo bench, cargo doc, go test, go build, go vet, go run, npm test, npm run, yarn, pnpm,
bun, bun test, deno test, deno check, deno lint, node, python, ruby, perl, php, java, make, gmake, ninja, cmake,
bazel, buck2, meson, gradle, mvn, ant, sbt, dotnet test, dotnet build, dotnet run, swift test, swift build,
xcodebuild, flutter test, flutter analyze, dart test, dart analyze, mix test, mix compile, elixir, stack, cabal,
lein, rails test, rake, bin/rails, just, task, turbo, nx, lerna, webpack, vite, next, rollup, esbuild, parcel, tsx,
ts-node, tsup, pre-commit, lint-staged, npm ci
""")
"""They check or build: their positional arguments select, and running them changes nothing worth a fix."""

LINKERS: Final = _set("gcc, g++, cc, c++, clang, clang++, ld, javac, rustc, swiftc, nvcc, kotlinc")
"""Compilers whose added arguments (a library, another source) can be the fix."""

CHANGERS: Final = _set("""
rm, rmdir, mv, cp, mkdir, touch, ln, chmod, chown, chgrp, install, truncate, dd, tee, patch, unzip, tar, rsync, scp,
kill, pkill, killall, fuser, taskkill, launchctl, crontab, mkfifo, unlink, del, erase, copy, move, ren, xcopy,
robocopy, Remove-Item, New-Item, Move-Item, Copy-Item, Rename-Item, Set-Content, Add-Content, Out-File,
Stop-Process, Start-Service, Restart-Service, apply_patch, systemctl, service, apt, apt-get, apk, yum, dnf, pacman,
brew, choco, winget, scoop, snap, useradd, usermod, passwd, sysctl, modprobe, mount, umount, swapon, iptables, ufw,
createdb, dropdb, createuser, pg_ctl, initdb, initctl, mysqladmin, redis-cli, alembic, flyway, prisma, knex,
sequelize, liquibase, ansible-playbook, terraform, helm, ssh-add, ssh-keygen, ssh-keyscan, gpg, openssl, certbot,
mkcert, gem, bundle, composer, cpan, cpanm, pip, pipx, conda, mamba, poetry, pdm, hatch, uv, pipenv, rye, nvm, fnm,
pyenv, asdf, rustup, rbenv, sdk, volta, corepack, go get, go mod, go install, go generate, go clean, go work, cargo
add, cargo update, cargo install, cargo fix, cargo clean, cargo remove, cargo generate-lockfile, npm install, npm
ci, npm uninstall, npm update, npm link, npm rebuild, npm cache, npm dedupe, npm audit fix, npm config, npm login,
npm init, npm pkg, npm publish, npm version, npm prune, npm set, yarn add, yarn install, yarn remove, yarn upgrade,
yarn up, yarn cache, pnpm add, pnpm install, pnpm i, pnpm remove, pnpm update, pnpm rebuild, pnpm approve-builds,
pnpm store, bun add, bun install, bun remove, git checkout, git switch, git reset, git restore, git add, git commit,
git pull, git push, git fetch, git merge, git rebase, git stash, git rm, git mv, git clean, git apply, git am, git
cherry-pick, git revert, git config, git submodule, git init, git clone, git tag, git lfs, git update-index, git
worktree, git remote add, git remote set-url, git branch -d, git branch -D, git branch -m, git branch -u, git branch
--set-upstream-to, git branch --unset-upstream, git gc, git prune, git update-ref, git symbolic-ref, git bisect,
docker build, docker run, docker rm, docker rmi, docker stop, docker start, docker restart, docker kill, docker
pull, docker push, docker login, docker exec, docker create, docker cp, docker tag, docker prune, docker system,
docker volume, docker network, docker buildx, docker compose up, docker compose down, docker compose build, docker
compose restart, docker compose stop, docker compose start, docker compose pull, docker compose exec, docker compose
run, docker compose rm, docker compose kill, docker compose create, docker container, docker image, docker builder,
kubectl apply, kubectl create, kubectl delete, kubectl edit, kubectl patch, kubectl rollout, kubectl scale, kubectl
set, kubectl label, kubectl annotate, kubectl cordon, kubectl drain, kubectl exec, minikube, kind, aws, gcloud, az,
gh auth, gh pr create, gh secret, heroku, fly, vercel, netlify, firebase, supabase, wrangler, direnv, xcode-select,
pod, dotnet add, dotnet restore, dotnet tool, dotnet new, dotnet ef, dotnet remove, dotnet clean, mix deps.get,
dos2unix, unix2dos, sudo, setfacl, xattr, codesign, playwright install, pre-commit install, pre-commit autoupdate,
husky, ruff format, black, isort, prettier --write, cargo fmt, gofmt, goimports, clang-format, autopep8, yapf,
rubocop -a, eslint --fix, ruff check --fix, biome check --write, stylelint --fix, sqlx, diesel, goose, migrate,
dbmate, protoc, buf, gem install, sops, vault, ollama, luarocks, 2to3, createlang, vagrant, setcap, semanage,
setsebool, restorecon
""")
"""They change the project or the machine it runs on."""

CHANGING_VERBS: Final = _set("""
install, add, remove, uninstall, update, upgrade, migrate, seed, generate, gen, codegen, create, init, setup,
bootstrap, start, restart, stop, reset, clean, sync, fix, format, write, apply, deploy, enable, disable, login,
link, rebuild, download, fetch, pull, push, prune, reload, configure, up, down
""")
"""As a subcommand, a script or a make target of an unknown program, they say that it changes something."""

WRAPPERS: Final[dict[str, frozenset[str]]] = {
    "sudo": _set("-u, -g, -h, -p"),
    "doas": _set("-u"),
    "env": _set("-u, -C"),
    "time": frozenset(),
    "nice": _set("-n"),
    "ionice": _set("-c, -n"),
    "nohup": frozenset(),
    "timeout": _set("-k, -s, --signal, --kill-after"),
    "gtimeout": _set("-k, -s"),
    "stdbuf": _set("-o, -i, -e"),
    "unbuffer": frozenset(),
    "exec": frozenset(),
    "winpty": frozenset(),
    "xvfb-run": frozenset(),
    "cross-env": frozenset(),
    "dotenv": _set("-e, -f"),
    "npx": _set("-p, --package"),
    "pnpx": frozenset(),
    "bunx": frozenset(),
    "uvx": _set("--from, --with, --python"),
    "catchsegv": frozenset(),
    "caffeinate": frozenset(),
    "script": _set("-c"),
    "call": frozenset(),
    "&": frozenset(),
    "builtin": frozenset(),
    "chronic": frozenset(),
    "watch": _set("-n"),
    "faketime": frozenset(),
    "setsid": frozenset(),
    "arch": frozenset(),
    "rtk": frozenset(),
}
"""They run another command and are no part of its family; the options of theirs that take a value."""

RUNNERS: Final[dict[str, frozenset[str]]] = {
    "uv run": _set("--with, --extra, --group, --python, -p, --project, --directory, --env-file, --package, --no-group"),
    "uv tool run": _set("--from, --with, --python"),
    "poetry run": frozenset(),
    "pdm run": frozenset(),
    "hatch run": frozenset(),
    "rye run": frozenset(),
    "pipenv run": frozenset(),
    "pixi run": _set("-e"),
    "conda run": _set("-n, -p"),
    "bundle exec": frozenset(),
    "pnpm exec": frozenset(),
    "pnpm dlx": frozenset(),
    "yarn exec": frozenset(),
    "yarn dlx": frozenset(),
    "npm exec": frozenset(),
    "bun x": frozenset(),
    "corepack pnpm exec": frozenset(),
    "corepack yarn exec": frozenset(),
    "fnm exec": _set("--using"),
    "asdf exec": frozenset(),
    "volta run": _set("--node, --npm, --yarn, --pnpm"),
    "op run": _set("--env-file"),
    "doppler run": frozenset(),
    "direnv exec": frozenset(),
}
"""The same in two words."""

GLOBAL_OPTIONS: Final[dict[str, frozenset[str]]] = {
    "git": _set("-C, -c, --git-dir, --work-tree, --namespace, --config-env"),
    "gh": _set("-R, --repo"),
    "glab": _set("-R, --repo"),
    "docker": _set("-H, --host, -c, --context, --config, -l, --log-level"),
    "docker compose": _set("-f, --file, -p, --project-name, --env-file, --profile, --project-directory, --ansi"),
    "kubectl": _set("-n, --namespace, --context, --kubeconfig, --cluster, --user, -s, --server"),
    "helm": _set("-n, --namespace, --kube-context, --kubeconfig"),
    "npm": _set("--prefix, -C, -w, --workspace, --loglevel"),
    "pnpm": _set("-C, --dir, --filter, -F"),
    "yarn": _set("--cwd"),
    "bun": _set("--cwd, --filter"),
    "go": _set("-C"),
    "cargo": _set("-C, -Z, --config, --color"),
    "uv": _set("--directory, --project, --color, --cache-dir"),
    "poetry": _set("-C, --directory, -P, --project"),
    "terraform": frozenset(),
    "aws": _set("--profile, --region, --output, --endpoint-url"),
    "gcloud": _set("--project, --format, --account"),
    "az": _set("--subscription, -o, --output"),
    "systemctl": _set("-H, --host, -M, --machine"),
    "dotnet": frozenset(),
    "flyctl": _set("-a, --app"),
    "fly": _set("-a, --app"),
}
"""Programs whose options may stand before their subcommand; those of the options that take a value."""

LOOKING_VERBS: Final = _set("""
ls, list, get, describe, show, status, info, view, version, whoami, plan, inspect, history, search, diff, help,
doctor, freeze, tree, outdated, ps, logs, top
""")
"""Subcommands with which even a program that changes things only looks."""

SCRIPT_RUNNERS: Final = _set("""
npm run, yarn, pnpm, bun, bun run, make, gmake, just, task, python, node, ruby, php, perl, gradle, mvn, rake, rails,
tsx, ts-node, nx, turbo, lerna, deno, deno run, deno task, mix, invoke, poe, elixir
""")
"""They run whatever their first argument names; its name says what it does."""

DATABASES: Final = _set("psql, mysql, mariadb, sqlite3, mongosh, cqlsh, clickhouse-client, duckdb, sqlcmd")
"""Their SQL says whether they change something."""

TOOLCHAINS: Final = _set("cargo, rustc, rustdoc, rustfmt")
"""Their first argument may choose a toolchain (`+nightly`); what runs is the same."""

DECORATION: Final = _set("""
time, timeout, gtimeout, nice, ionice, nohup, stdbuf, unbuffer,
caffeinate, script, builtin, chronic, setsid, call, exec, &
""")
"""Wrappers that make no difference to what a command does."""

SELECTING_FLAGS: Final = _set("""
-v, -vv, -vvv, -q, -qq, -s, -x, -k, -t, -m, -n, -p, -rs, -ra, -rA, -i, -l, --tb, --lf, --ff, --sw, --filter, --grep,
-run, -g, --testNamePattern, --testPathPattern, --reporter, --no-cov, --cov, --maxfail, --nocapture, --list,
--collect-only, --co, --bail, --watch, --watchAll, --run, --verbose, --silent, --quiet, --dry-run, --no-verify,
--help, --version, --durations, --last-failed, --failed-first, --exitfirst, --only, --project, --changed, --related,
--noEmit, --pretty, --color, --no-color, --stacktrace, --info, --debug, --trace, --lib, --bin, --test, --example,
--package, -run=, --fail-fast, --tests, -Dtest, -pl, --ci, --shard, --deselect, --ignore, --exclude, --skip,
--allow-empty, -count, --trace-warnings, --passWithNoTests, --no-run, --if-present, --force-pass, --exit-zero,
--no-fail-fast, --keep-going, --allow-failures, --update-snapshot, -u, --message-format, --output-format, --format
""")
"""They change what is selected or shown, not whether it works; a run that differs by one proves nothing alone."""
