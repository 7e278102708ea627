import { parseArgs } from 'node:util'
import { ADAPTERS, type AdapterName } from '../contract/runner-spec.ts'

export const USAGE = `agent-runner: prepares a workspace, runs an agent program in it and reports how it went.

Usage: agent-runner [options] [agent-runner.json] [-- program argument…]

  agent-runner.json  how to run; else the file that AGENT_RUNNER_SPEC_PATH names, else the JSON in AGENT_RUNNER_SPEC,
                     else /workspace/agent-runner.json
  --adapter NAME     whose way of telling usage to understand: ${ADAPTERS.join(', ')}
  --stdin PATH       a file in the workspace that the program reads as its standard input
  --help             this text

What follows -- is run as it is, without a shell. Without it the providerSpec in agent-runner.json says what to run.

  agent-runner --stdin task.md -- codex exec --json -
`

export interface RunnerArguments {
  readonly specPath?: string
  readonly adapter?: AdapterName
  readonly stdinPath?: string
  readonly command?: readonly [string, ...string[]]
  readonly help: boolean
}

export type ParsedArguments =
  | { readonly ok: true; readonly value: RunnerArguments }
  | { readonly ok: false; readonly problems: readonly string[] }

export function parseArguments(argv: readonly string[]): ParsedArguments {
  const dashes = argv.indexOf('--')
  const own = dashes === -1 ? argv : argv.slice(0, dashes)
  const [binary, ...rest] = dashes === -1 ? [] : argv.slice(dashes + 1)
  try {
    const { values, positionals } = parseArgs({
      args: [...own],
      options: OPTIONS,
      allowPositionals: true,
    })
    const adapter = ADAPTERS.find((name) => name === values.adapter)
    const problems = [
      ...(values.adapter !== undefined && adapter === undefined
        ? [`--adapter must be one of ${ADAPTERS.join(', ')}`]
        : []),
      ...(positionals.length > 1
        ? ['there is more than one spec file; put -- before the program']
        : []),
      ...(dashes !== -1 && !binary ? ['there is no program after --'] : []),
    ]
    if (problems.length > 0) return { ok: false, problems }
    const [specPath] = positionals
    return {
      ok: true,
      value: {
        ...(specPath !== undefined && { specPath }),
        ...(adapter !== undefined && { adapter }),
        ...(values.stdin !== undefined && { stdinPath: values.stdin }),
        ...(binary !== undefined && { command: [binary, ...rest] as const }),
        help: values.help === true,
      },
    }
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)] }
  }
}

const OPTIONS = {
  adapter: { type: 'string' },
  stdin: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const
