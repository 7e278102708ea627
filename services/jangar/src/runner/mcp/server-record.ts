import type { SecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { shownLine } from '../process/last-line.ts'

/** What is known about one server of a run. */
export interface ServerRecord {
  /** A bridge was started for it, perhaps not for the first time. */
  begin(): ServerEvents
  /** Undefined if its tools were available until the end. */
  warning(hasProgramSucceeded: boolean): string | undefined
}

/** What one bridge reports, checked for its types. */
export interface ServerEvents {
  answered(): void
  words(line: string): void
  ended(how: string): void
}

const mostLines = 5

/** Lines after the message of an exception in Node.js. */
const noise = /^\s+at |^Node\.js v\d|^\s*[{}]?\s*$/

export function createServerRecord(name: string, cli: string, mask: SecretMask): ServerRecord {
  let isStarted = false
  let hasAnswered = false
  let lines: string[] = []
  let end: string | undefined
  return {
    begin() {
      isStarted = true
      hasAnswered = false
      lines = []
      end = undefined
      return {
        answered: () => {
          hasAnswered = true
        },
        words: (line) => {
          const shown = noise.test(line) ? undefined : shownLine(line, mask)
          if (shown !== undefined) lines = [...lines, shown].slice(-mostLines)
        },
        ended: (how) => {
          end = shownLine(how, mask)
        },
      }
    },
    warning(hasProgramSucceeded) {
      if (!isStarted) {
        // A program that failed may have ended before it started its servers.
        return hasProgramSucceeded ? `MCP server ${name} was not started by ${cli}` : undefined
      }
      if (hasAnswered && end === undefined) return undefined
      const what = hasAnswered ? 'ended during the run' : 'did not start'
      const why = [end ?? 'no response', ...lines].join(': ')
      return shownLine(`MCP server ${name} ${what}: ${why}`, mask)
    },
  }
}
