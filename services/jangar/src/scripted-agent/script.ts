import { parseArgs } from 'node:util'

export const modes = [
  'succeed',
  'no-change',
  'fail',
  'slow',
  'hang',
  'stubborn',
  'big-output',
] as const

/** stubborn hangs too, and does not listen to SIGTERM. */
export type Mode = (typeof modes)[number]

/** What the scripted agent is to play. */
export interface Script {
  readonly mode: Mode
  /** For fail. */
  readonly exitCode: number
  /** Between two steps of slow. */
  readonly delayMs: number
  /** For big-output. */
  readonly outputBytes: number
  /** The file to change, relative to the repository. */
  readonly file: string
  /** What it reports for later steps. */
  readonly outputs: Readonly<Record<string, string>>
}

export const usageText = `scripted-agent: simulates an agent, without an API key and without network access.

Usage: scripted-agent [options]

  --mode MODE           ${modes.join(', ')}
  --exit-code N         exit code of mode fail; defaults to 1
  --delay-seconds N     delay between two steps in mode slow; defaults to 1
  --output-bytes N      size of the output in mode big-output; defaults to 50000000
  --file PATH           file to change; defaults to AGENT_NOTES.md
  --outputs JSON        object of texts: outputs for later steps, besides commit and file

The run can set the same options as parameters: scriptedMode, scriptedExitCode, scriptedDelaySeconds,
scriptedOutputBytes, scriptedFile, scriptedOutputs. Options take precedence.

The agent appends a line to the file and commits it in the repository of the working directory. If there is no
repository, the agent creates one.
`

const optionTypes = {
  mode: { type: 'string' },
  'exit-code': { type: 'string' },
  'delay-seconds': { type: 'string' },
  'output-bytes': { type: 'string' },
  file: { type: 'string' },
  outputs: { type: 'string' },
} as const

type ParsedScript =
  | { readonly ok: true; readonly value: Script }
  | { readonly ok: false; readonly problems: readonly string[] }

export function parseScript(
  argv: readonly string[],
  parameters: Readonly<Record<string, string>>,
): ParsedScript {
  const problems: string[] = []
  const values = readOptions(argv, problems)
  const number = (raw: string | undefined, name: string, fallback: number, max: number) => {
    const value = raw === undefined ? fallback : Number(raw)
    if (Number.isFinite(value) && value >= 0 && value <= max) return value
    problems.push(`${name} must be a number from 0 to ${max}`)
    return fallback
  }
  const wanted = values.mode ?? parameters.scriptedMode ?? 'succeed'
  const mode = modes.find((name) => name === wanted)
  if (mode === undefined) problems.push(`the mode must be one of ${modes.join(', ')}`)
  const outputs = readTexts(values.outputs ?? parameters.scriptedOutputs ?? '{}')
  if (outputs === undefined) problems.push('the outputs must be a JSON object of texts')
  const script: Script = {
    mode: mode ?? 'succeed',
    exitCode: number(values['exit-code'] ?? parameters.scriptedExitCode, 'the exit code', 1, 255),
    delayMs:
      1000 *
      number(values['delay-seconds'] ?? parameters.scriptedDelaySeconds, 'the delay', 1, 3600),
    outputBytes: number(
      values['output-bytes'] ?? parameters.scriptedOutputBytes,
      'the output',
      50_000_000,
      1e10,
    ),
    file: values.file ?? parameters.scriptedFile ?? 'AGENT_NOTES.md',
    outputs: outputs ?? {},
  }
  return problems.length === 0 ? { ok: true, value: script } : { ok: false, problems }
}

function readTexts(text: string): Record<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const isText = Object.values(value).every((one) => typeof one === 'string')
    return isText ? (value as Record<string, string>) : undefined
  } catch {
    return undefined
  }
}

function readOptions(argv: readonly string[], problems: string[]) {
  try {
    return parseArgs({ args: [...argv], options: optionTypes }).values
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
    return {}
  }
}
