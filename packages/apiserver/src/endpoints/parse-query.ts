/** Generous, since the query contains selectors: clients send a few kilobytes at most. */
const maxQueryLength = 128 * 1024
const maxParameters = 1_000

/** Returns an error for a query that is too long to be parsed before the request is authenticated. */
export function queryProblem(text: string): string | undefined {
  if (text.length > maxQueryLength) return `the query is longer than ${maxQueryLength} bytes`
  let parameters = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    if (++parameters > maxParameters) return `the query has more than ${maxParameters} parameters`
  }
  return undefined
}
