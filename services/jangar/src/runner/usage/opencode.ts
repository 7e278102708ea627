import { sumOf } from '../../run-contract/amount.ts'
import { formatDollars } from '../../run-contract/usage.ts'
import {
  cached,
  memberOf,
  type OutputReading,
  textIn,
  tokensIn,
  usageOf,
} from './output-reading.ts'
import { errorReading, secondsOf } from './rate-limit.ts'

/** `opencode run --format json`: each step reports its own tokens. Its input leaves out what the cache gave. */
export function opencode(event: Readonly<Record<string, unknown>>): OutputReading | undefined {
  const part = memberOf(event, 'part')
  switch (event.type) {
    case 'step_finish': {
      const tokens = memberOf(part, 'tokens')
      const cache = memberOf(tokens, 'cache')
      const fresh = tokensIn(tokens, 'input')
      const dollars = part.cost === 0 ? undefined : formatDollars(part.cost)
      const usage = usageOf(
        fresh === undefined ? undefined : sumOf(fresh, tokensIn(cache, 'read', 'write')),
        tokensIn(tokens, 'output', 'reasoning'),
        { ...cached(tokensIn(cache, 'read')), ...(dollars !== undefined && { dollars }) },
      )
      return { answer: true, ...(usage !== undefined && { usage, isPart: true }) }
    }
    case 'tool_use':
      return { toolCalls: 1 }
    case 'text': {
      const summary = textIn(part, 'text')
      return summary === undefined ? undefined : { summary }
    }
    case 'error': {
      const failure = memberOf(event, 'error')
      const data = memberOf(failure, 'data')
      const error = textIn(data, 'message') ?? textIn(failure, 'name')
      if (error === undefined) return undefined
      if (data.statusCode !== 429) return errorReading(error)
      const asked = textIn(memberOf(data, 'responseHeaders'), 'retry-after')
      return { error, isRateLimited: true, ...secondsOf(Number(asked)) }
    }
    default:
      return undefined
  }
}
