import { parseArgs } from 'node:util'
import { type AdapterName, adapterNames } from '../../run-contract/runner-spec.ts'

export const usageText = `agent-runner: prepares a workspace, runs an agent program in it and reports the result.

Usage: agent-runner [options] [agent-runner.json] [-- program argument…]

  agent-runner.json  how to run. If omitted: the file named by AGENT_RUNNER_SPEC_PATH, the JSON in AGENT_RUNNER_SPEC,
                     or /workspace/agent-runner.json
  --adapter NAME     the format in which the program reports usage: ${adapterNames.join(', ')}
  --stdin PATH       a file in the workspace that the program reads as its standard input
  --help             show this text

The program after -- is run without a shell. If omitted, providerSpec in agent-runner.json defines it.

  agent-runner --stdin task.md -- codex exec --json -
`

export interface RunnerArguments {
  readonly specPath?: string
  readonly adapter?: AdapterName
  readonly stdinPath?: string
  readonly command?: readonly [string, ...string[]]
  readonly help: boolean
}

type ParsedArguments =
  | { readonly ok: true; readonly value: RunnerArguments }
  | { readonly ok: false; readonly problems: readonly string[] }

export function parseArguments(argv: readonly string[]): ParsedArguments {
  const dashes = argv.indexOf('--')
  const own = dashes === -1 ? argv : argv.slice(0, dashes)
  const [binary, ...rest] = dashes === -1 ? [] : argv.slice(dashes + 1)
  try {
    const { values, positionals } = parseArgs({
      args: [...own],
      options: optionTypes,
      allowPositionals: true,
    })
    const adapter = adapterNames.find((name) => name === values.adapter)
    const problems = [
      ...(values.adapter !== undefined && adapter === undefined
        ? [`--adapter must be one of ${adapterNames.join(', ')}`]
        : []),
      ...(positionals.length > 1
        ? ['more than one spec file is given; put -- before the program']
        : []),
      ...(dashes !== -1 && !binary ? ['no program is given after --'] : []),
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

const optionTypes = {
  adapter: { type: 'string' },
  stdin: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const
