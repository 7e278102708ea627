import { formatDollars } from '../../run-contract/usage.ts'
import { memberOf, type OutputReading, tokensIn, usageOf } from './output-reading.ts'

/** The analytics log of aider, one event in each line: `message_send` reports the tokens of one exchange. */
export function aider(event: Readonly<Record<string, unknown>>): OutputReading | undefined {
  if (event.event !== 'message_send') return undefined
  const counts = memberOf(event, 'properties')
  const dollars = counts.cost === 0 ? undefined : formatDollars(counts.cost)
  const usage = usageOf(
    tokensIn(counts, 'prompt_tokens'),
    tokensIn(counts, 'completion_tokens'),
    dollars === undefined ? {} : { dollars },
  )
  return usage && { usage, isPart: true, answer: true }
}
