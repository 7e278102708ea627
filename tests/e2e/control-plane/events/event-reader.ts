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
          const blocks = `${rest}${text}`.split('\n\n')
          rest = blocks.pop() ?? ''
          for (const block of blocks) this.#take(block)
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

  #take(block: string): void {
    const id = /^id: (.*)$/m.exec(block)?.[1]
    if (id !== undefined) this.#last = id
    const event = /^event: (.*)$/m.exec(block)?.[1]
    if (event !== undefined && event !== 'change') {
      this.events.push(event)
      this.#note(event)
    }
    const name = /"name":"([^"]+)"/.exec(block)?.[1]
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
