import type { LogFormat } from './logger.ts'

interface Terminal {
  readonly isTerminal: boolean
  /** The NO_COLOR convention: the user requested no colours. */
  readonly noColor: boolean
}

/** `auto` is pretty for a person at a terminal and JSON for everything else. Colours only at a terminal. */
export function chooseFormat(
  wanted: LogFormat | 'auto',
  { isTerminal, noColor }: Terminal,
): { readonly format: LogFormat; readonly color: boolean } {
  const format = wanted === 'auto' ? (isTerminal ? 'pretty' : 'json') : wanted
  return { format, color: format === 'pretty' && isTerminal && !noColor }
}
