import type { RequestInfo } from '../request/request-info.ts'
import { badRequest, quote } from '../status/api-error.ts'

/** Rejects a `timeout` in the query that Go cannot parse. Requests without an end of their own have none. */
export function checkTimeout({ verb, subresource }: RequestInfo, query: URLSearchParams): void {
  const timeout = query.get('timeout') ?? ''
  if (timeout === '' || verb === 'watch' || streams.has(subresource)) return
  const problem = durationProblem(timeout)
  if (problem === undefined) return
  throw badRequest(`invalid timeout specified in the request URL - time: ${problem}`)
}

const streams = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

/** Nanoseconds. The micro sign has two code points. */
const units: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  '\u00b5s': 1e3,
  '\u03bcs': 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
}

/** The longest duration in nanoseconds, an int64. */
const longest = 2 ** 63

/** The message of Go's parser, without its package. */
function durationProblem(text: string): string | undefined {
  const invalid = `invalid duration ${quote(text)}`
  let rest = text.replace(/^[-+]/, '')
  if (rest === '0') return undefined
  if (rest === '') return invalid
  let total = 0
  while (rest !== '') {
    const [amount = ''] = /^\d*\.?\d*/.exec(rest) ?? []
    if (!/\d/.test(amount)) return invalid
    const [unit = ''] = /^[^\d.]*/.exec(rest.slice(amount.length)) ?? []
    if (unit === '') return `missing unit in duration ${quote(text)}`
    const nanoseconds = Object.hasOwn(units, unit) ? units[unit] : undefined
    if (nanoseconds === undefined) return `unknown unit ${quote(unit)} in duration ${quote(text)}`
    total += Number(amount) * nanoseconds
    if (total >= longest) return invalid
    rest = rest.slice(amount.length + unit.length)
  }
  return undefined
}
