import { parseArgs } from 'node:util'

export const MODES = [
  'succeed',
  'no-change',
  'fail',
  'slow',
  'hang',
  'stubborn',
  'big-output',
] as const

/** stubborn hangs too, and does not listen to SIGTERM. */
export type Mode = (typeof MODES)[number]

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
}

export const USAGE = `scripted-agent: plays an agent, without a key and without a network.

Usage: scripted-agent [options]

  --mode MODE           ${MODES.join(', ')}
  --exit-code N         for fail; else 1
  --delay-seconds N     for slow, between two steps; else 1
  --output-bytes N      for big-output; else 50000000
  --file PATH           the file to change; else AGENT_NOTES.md

Parameters of the run say the same: scriptedMode, scriptedExitCode, scriptedDelaySeconds, scriptedOutputBytes,
scriptedFile. Options outrank them.

It appends a line to the file and commits that in the repository of the working directory; where there is none, it
makes one.
`

const OPTIONS = {
  mode: { type: 'string' },
  'exit-code': { type: 'string' },
  'delay-seconds': { type: 'string' },
  'output-bytes': { type: 'string' },
  file: { type: 'string' },
} as const

export type ParsedScript =
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
  const mode = MODES.find((name) => name === wanted)
  if (mode === undefined) problems.push(`the mode must be one of ${MODES.join(', ')}`)
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
  }
  return problems.length === 0 ? { ok: true, value: script } : { ok: false, problems }
}

function readOptions(argv: readonly string[], problems: string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
    return {}
  }
}
