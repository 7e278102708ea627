import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensureGoProgram } from '../testbed/go-program.ts'

const protos = join(import.meta.dirname, '../../../services/jangar/proto')

const services = {
  Health: { file: 'grpc/health/v1/health.proto', service: 'grpc.health.v1.Health' },
  AgentctlService: {
    file: 'proompteng/jangar/v1/agentctl.proto',
    service: 'proompteng.jangar.v1.AgentctlService',
  },
}

export interface Call {
  readonly service: keyof typeof services
  readonly method: string
  readonly request?: object
  readonly token?: string
  readonly gzip?: boolean
  /** A file with the authority to trust. If omitted, without TLS. */
  readonly ca?: string
}

interface CallStatus {
  readonly code: string
  readonly message: string
}

interface Answer {
  /** Messages in the order in which they arrive. */
  readonly messages: Record<string, unknown>[]
  readonly ended: Promise<CallStatus>
  /** Ends a call that has no end. */
  stop(): void
}

export type GoClient = (address: string, call: Call) => Answer

/** Builds the client; undefined where Go is not installed. */
export async function buildGoClient(): Promise<GoClient | undefined> {
  const program = await ensureGoProgram(join(import.meta.dirname, 'client'))
  if (program === undefined) return undefined
  return (address, { service, method, request = {}, token, gzip = false, ca = '' }) => {
    const { file, service: name } = services[service]
    const child = spawn(
      program,
      [
        `-address=${address}`,
        `-protos=${protos}`,
        `-file=${file}`,
        `-service=${name}`,
        `-method=${method}`,
        `-request=${JSON.stringify(request)}`,
        `-gzip=${gzip}`,
        `-ca=${ca}`,
      ],
      // Not passed as an argument, because every user of the machine can read command lines.
      { stdio: ['ignore', 'pipe', 'inherit'], env: token === undefined ? {} : { TOKEN: token } },
    )
    const messages: Record<string, unknown>[] = []
    let status: CallStatus | undefined
    createInterface(child.stdout).on('line', (line) => {
      const output = JSON.parse(line)
      // Only the final status has this field; none of our messages does.
      if ('code' in output) status = output
      else messages.push(output)
    })
    const ended = new Promise<CallStatus>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () =>
        status === undefined ? reject(new Error('the client said nothing')) : resolve(status),
      )
    })
    return { messages, ended, stop: () => void child.kill() }
  }
}
