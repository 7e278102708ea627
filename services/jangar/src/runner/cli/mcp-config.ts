import type { McpProgram } from '../mcp/broker.ts'

/** Programs from npm or PyPI may be fetched when they are first started. */
const startSeconds = 60

/** Overrides of `config.toml`: a file that a Secret mounts stays as it is. */
export function codexServers(programs: readonly McpProgram[]): string[] {
  return programs.flatMap(({ name, command, args }) => {
    const words = args.map((arg) => JSON.stringify(arg)).join(', ')
    const table = `{command = ${JSON.stringify(command)}, args = [${words}], startup_timeout_sec = ${startSeconds}}`
    return ['--config', `mcp_servers.${name}=${table}`]
  })
}

/** As Claude Code and Gemini CLI call them in their files. */
export function namedServers(programs: readonly McpProgram[], settings: object = {}) {
  return Object.fromEntries(
    programs.map(({ name, command, args }) => [name, { command, args, ...settings }]),
  )
}

export function opencodeServers(programs: readonly McpProgram[]) {
  return Object.fromEntries(
    programs.map(({ name, command, args }) => [
      name,
      { type: 'local', command: [command, ...args], enabled: true, timeout: startSeconds * 1000 },
    ]),
  )
}
