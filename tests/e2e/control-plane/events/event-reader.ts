import { get } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { bearer } from '@agents/kube'

export interface EventsAddress {
  readonly port: number
  readonly ca: string
  readonly token: string
}

/** As the stream itself asks of browsers. */
const pauseMs = 1000

/** A reader of the stream of events that reconnects as browsers do. */
export class EventReader {
  readonly names: string[] = []
  /** What was sent beside changes. */
  readonly events: string[] = []
  readonly #address: EventsAddress
  readonly #note: (text: string) => void
  #last = ''
  #request: ReturnType<typeof get> | undefined
  #isOver = false

  /** `note` is called with the name of each changed run, and with each other event. */
  constructor(address: EventsAddress, note: (text: string) => void = () => undefined) {
    this.#address = address
    this.#note = note
  }

  /** Resolves with the first event. */
  connect(): Promise<void> {
    return new Promise((resolve) => {
      const { port, ca, token } = this.#address
      const headers = {
        authorization: bearer(token),
        ...(this.#last !== '' && { 'last-event-id': this.#last }),
      }
      const options = { host: '127.0.0.1', port, ca, path: '/v1/events', headers, agent: false }
      let rest = ''
      let isAnswered = false
      const again = (): void => {
        if (!this.#isOver) resolve(this.connect())
      }
      const later = (): void => void delay(pauseMs).then(again)
      this.#request = get(options, (response) => {
        isAnswered = true
        response.setEncoding('utf8').on('data', (text: string) => {
          if (response.statusCode !== 200) return
          const whole = rest === '' ? text : rest + text
          const end = whole.lastIndexOf('\n\n')
          rest = end === -1 ? whole : whole.slice(end + 2)
          if (end === -1) return
          for (const event of eventsIn(whole.slice(0, end))) this.#take(event)
          resolve()
        })
        response.on('error', () => undefined)
        // A server that starts or has too much to do refuses; who asks without a pause is refused for ever.
        response.on('close', response.statusCode === 200 ? again : later)
      })
      // Nobody listens there at present, or not any more. Otherwise the response is closed, too.
      this.#request.on('error', () => {
        if (!isAnswered) later()
      })
    })
  }

  #take({ id, event, name }: SentEvent): void {
    if (id !== undefined) this.#last = id
    if (event !== undefined && event !== 'change') {
      this.events.push(event)
      this.#note(event)
    }
    if (name === undefined) return
    this.names.push(name)
    this.#note(name)
  }

  cut(): void {
    this.#request?.destroy()
  }

  end(): void {
    this.#isOver = true
    this.cut()
  }
}

interface SentEvent {
  readonly id: string | undefined
  readonly event: string | undefined
  /** Of the run that changed. */
  readonly name: string | undefined
}

let parsed: { readonly text: string; readonly events: readonly SentEvent[] } | undefined

/** Most readers get the same text one after the other. Parsing it for each takes more time than the server takes. */
function eventsIn(text: string): readonly SentEvent[] {
  if (parsed?.text === text) return parsed.events
  const events = text.split('\n\n').map((block) => ({
    id: /^id: (.*)$/m.exec(block)?.[1],
    event: /^event: (.*)$/m.exec(block)?.[1],
    name: /"name":"([^"]+)"/.exec(block)?.[1],
  }))
  parsed = { text, events }
  return events
}
