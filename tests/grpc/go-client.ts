import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensureGoProgram } from '../testbed/go-program.ts'

const protos = join(import.meta.dirname, '..', '..', 'services', 'jangar', 'proto')

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
}

export interface CallStatus {
  readonly code: string
  readonly message: string
}

export interface Answer {
  /** As they come. */
  readonly messages: Record<string, unknown>[]
  readonly ended: Promise<CallStatus>
}

export type GoClient = (address: string, call: Call) => Answer

/** Undefined where there is no Go. */
export async function buildGoClient(): Promise<GoClient | undefined> {
  const program = await ensureGoProgram(join(import.meta.dirname, 'client'))
  if (program === undefined) return undefined
  return (address, { service, method, request = {}, token, gzip = false }) => {
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
      ],
      // A token has no place among the arguments, which everybody on the machine can read.
      { stdio: ['ignore', 'pipe', 'inherit'], env: token === undefined ? {} : { TOKEN: token } },
    )
    const messages: Record<string, unknown>[] = []
    let status: CallStatus | undefined
    createInterface(child.stdout).on('line', (line) => {
      const said = JSON.parse(line)
      // No message of ours has that field.
      if ('code' in said) status = said
      else messages.push(said)
    })
    const ended = new Promise<CallStatus>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () =>
        status === undefined ? reject(new Error('the client said nothing')) : resolve(status),
      )
    })
    return { messages, ended }
  }
}
