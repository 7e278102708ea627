import { formatDollars } from '../../run-contract/usage.ts'
import { memberOf, type OutputReading, textIn, tokensIn, usageOf } from './output-reading.ts'
import { errorReading } from './rate-limit.ts'

/**
 * The analytics log of aider, one event in each line: `message_send` reports the tokens of one exchange. Aider ends
 * with exit code 0 when its model refuses a request; the log shows that no answer followed.
 */
export function aider(event: Readonly<Record<string, unknown>>): OutputReading | undefined {
  const counts = memberOf(event, 'properties')
  if (event.event === 'message_send_starting') return { isUnanswered: true }
  if (event.event === 'message_send_exception') {
    const error = textIn(counts, 'exception')
    return error === undefined ? undefined : errorReading(error)
  }
  if (event.event !== 'message_send') return undefined
  const dollars = counts.cost === 0 ? undefined : formatDollars(counts.cost)
  const usage = usageOf(
    tokensIn(counts, 'prompt_tokens'),
    tokensIn(counts, 'completion_tokens'),
    dollars === undefined ? {} : { dollars },
  )
  // Tokens are also reported for a request that was too large, and never answered.
  const isAnswered = counts.completion_tokens !== 0
  const model = textIn(counts, 'main_model')
  // Names that aider does not know are private to it.
  const named = model === undefined || model.includes('REDACTED') ? {} : { model }
  return (
    usage && {
      usage,
      isPart: true,
      ...named,
      ...(isAnswered && { answer: true, isUnanswered: false }),
    }
  )
}

/** A line of output in which aider shows why its model does not answer. The model can print such a line, too. */
export function aiderError(line: string): OutputReading | undefined {
  return /^litellm\.\w{1,60}(?:Error|Exception): /.test(line) ? errorReading(line) : undefined
}
