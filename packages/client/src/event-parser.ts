/** One event of a stream of server-sent events. */
export interface ServerEvent {
  /** `message` if the server gave none. */
  readonly name: string
  readonly data: string
  /** The last id that the stream has given. */
  readonly id: string | undefined
}

/** More than any event of the API has. */
const longestEvent = 16 * 1024 * 1024

/** Reads server-sent events from the pieces in which they arrive. */
export class EventParser {
  #rest = ''
  #id: string | undefined
  #name = ''
  #data: string[] = []
  /** How long to wait before a reconnect, if the server has said it. */
  retryMs: number | undefined

  push(piece: string): readonly ServerEvent[] {
    this.#rest += piece
    if (this.#rest.length > longestEvent) throw new Error('an event of the stream has no end')
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#readLine(line))
  }

  #readLine(line: string): readonly ServerEvent[] {
    if (line === '') return this.#finish()
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'event') this.#name = value
    if (field === 'data') this.#data.push(value)
    if (field === 'id' && !value.includes('\0')) this.#id = value
    if (field === 'retry' && /^\d{1,6}$/.test(value)) this.retryMs = Number(value)
    return []
  }

  #finish(): readonly ServerEvent[] {
    const name = this.#name === '' ? 'message' : this.#name
    const data = this.#data.join('\n')
    const isEvent = this.#data.length > 0
    this.#name = ''
    this.#data = []
    return isEvent ? [{ name, data, id: this.#id }] : []
  }
}
