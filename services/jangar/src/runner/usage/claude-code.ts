import { memberOf, type OutputReading, textIn, tokensIn, usageOf } from './output-reading.ts'
import { formatDollars } from './usage.ts'

/** `claude -p --output-format stream-json` or `json`: the result event. Its input tokens leave out what the cache gave. */
export function claudeCode(event: Readonly<Record<string, unknown>>): OutputReading | undefined {
  if (event.type !== 'result') return undefined
  const counts = memberOf(event, 'usage')
  const dollars = formatDollars(event.total_cost_usd ?? event.cost_usd)
  const usage = usageOf(
    tokensIn(counts, 'input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'),
    tokensIn(counts, 'output_tokens'),
    dollars === undefined ? {} : { dollars },
  )
  const session = textIn(event, 'session_id')
  const summary = textIn(event, 'result')
  return {
    ...(session !== undefined && { session }),
    ...(usage !== undefined && { usage }),
    ...(summary !== undefined && { summary }),
  }
}
