import type { IncomingHttpHeaders } from 'node:http'

/** Programs that show responses to people. */
const readers = ['curl', 'Wget', 'Mozilla/5.0']
const trueTexts = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

/** Reports whether JSON is indented, which `pretty` decides. If it is omitted or empty, the client's name does. */
export function wantsIndentation(headers: IncomingHttpHeaders, pretty: string | null): boolean {
  if (pretty !== null && pretty !== '') return trueTexts.has(pretty)
  const agent = headers['user-agent'] ?? ''
  return readers.some((reader) => agent.startsWith(reader))
}
