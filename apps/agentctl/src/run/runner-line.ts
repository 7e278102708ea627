import type { LogLevel } from '@agents/log'

/** A log line of the runner in the output of a pod. */
interface RunnerNote {
  readonly level: LogLevel
  /** `run finished` */
  readonly message: string
  readonly detail: string | undefined
}

/** Parses a log line of the runner. Returns undefined for output of the agent. */
function runnerNote(line: string, runName: string): RunnerNote | undefined {
  if (!line.startsWith('{"time":"') || !line.endsWith('}')) return undefined
  try {
    const { level, message, run, detail } = JSON.parse(line) as Record<string, unknown>
    if (run !== runName || typeof message !== 'string' || typeof level !== 'string')
      return undefined
    return {
      level: level as LogLevel,
      message,
      detail: typeof detail === 'string' ? detail : undefined,
    }
  } catch {
    return undefined
  }
}

const newline = 0x0a
/** Longer lines are output of the agent, whatever they contain, and are forwarded at once. */
const longestNote = 64 * 1024

interface OutputSplitter {
  write(bytes: Uint8Array): Promise<void>
  /** Forwards a last line without a line feed. */
  end(): Promise<void>
}

/** Separates the log lines of the runner from the output of the agent, which stays byte for byte the same. */
export function splitOutput(
  runName: string,
  sinks: { agent(bytes: Uint8Array): Promise<void>; runner(note: RunnerNote): void },
): OutputSplitter {
  let held = Buffer.alloc(0)
  const release = async (bytes: Buffer): Promise<void> => {
    let output: Buffer[] = []
    const flush = async (): Promise<void> => {
      if (output.length > 0) await sinks.agent(Buffer.concat(output))
      output = []
    }
    let from = 0
    while (from < bytes.length) {
      const end = bytes.indexOf(newline, from)
      const next = end === -1 ? bytes.length : end + 1
      const line = bytes.subarray(from, next)
      const mayBeNote = line[0] === 0x7b && line.length < longestNote
      const note = mayBeNote ? runnerNote(line.toString('utf8').trimEnd(), runName) : undefined
      if (note === undefined) output.push(line)
      else {
        await flush()
        sinks.runner(note)
      }
      from = next
    }
    await flush()
  }
  return {
    write: async (bytes) => {
      const all = Buffer.concat([held, bytes])
      const end = all.lastIndexOf(newline) + 1
      const rest = all.subarray(end)
      // Only what may still become a log line of the runner is held back.
      const mayBeNote = rest[0] === 0x7b && rest.length < longestNote
      held = mayBeNote ? Buffer.from(rest) : Buffer.alloc(0)
      await release(mayBeNote ? all.subarray(0, end) : all)
    },
    end: async () => {
      const last = held
      held = Buffer.alloc(0)
      await release(last)
    },
  }
}
