import { spawn } from "node:child_process"

const command = COMMAND
const tools = new RegExp("^(?:TOOLS)$")

function ask(payload) {
  return new Promise((resolve) => {
    let said = ""
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => { child.kill(); resolve("") }, TIMEOUT)
    const end = (text) => { clearTimeout(timer); resolve(text) }
    child.on("error", () => end(""))
    child.on("close", () => end(said))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => { said += part })
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Casebook = async ({ directory }) => ({
  "tool.execute.after": async (input, output) => {
    try {
      if (!tools.test(input.tool) || typeof output?.output !== "string") return
      const answer = await ask({
        hook_event_name: "tool.execute.after", session_id: input.sessionID, cwd: directory, tool_name: input.tool,
        tool_input: input.args ?? {}, output: output.output, metadata: { exit: output.metadata?.exit ?? null },
      })
      if (answer.trim()) output.output += "\n\n" + JSON.parse(answer).append
    } catch {
      // a hook must not make the tool fail
    }
  },
})
