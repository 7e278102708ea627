import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'
import { compileCacheVariable } from '../testbed/compile-cache.ts'
import { freePort } from '../testbed/free-port.ts'

/** One of the programs of the image, in its own process. */
export interface ServiceProcess {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  text(): string
  lines(): Record<string, unknown>[]
  errors(): string
  /** Resolves when a log line contains this. */
  waitForOutput(text: string): Promise<void>
  probe(path: string): Promise<number>
  /** The HTTP port. */
  readonly port: Promise<number>
  /** The gRPC port, unless the environment sets another one. */
  readonly grpcPort: Promise<number>
}

/**
 * Starts the program with only this environment, free loopback ports and JSON logs. It is stopped when the test ends.
 */
export function startService(
  source: string,
  environment: Readonly<Record<string, string>>,
  portVariable = 'PORT',
  hostVariable = 'JANGAR_HTTP_HOST',
): ServiceProcess {
  const program = join(import.meta.dirname, '../../..', source)
  const port = freePort()
  const grpcPort = freePort()
  const heard: string[] = []
  let errors = ''
  let child: ChildProcess | undefined
  const ended = Promise.all([port, grpcPort]).then(
    ([number, grpcNumber]) =>
      new Promise<number | null>((resolve) => {
        child = spawn(process.execPath, [program], {
          env: {
            PATH: '/usr/bin:/bin',
            ...compileCacheVariable(),
            JANGAR_LOG_FORMAT: 'json',
            GITTARGET_LOG_FORMAT: 'json',
            JANGAR_GRPC_PORT: String(grpcNumber),
            ...environment,
            [portVariable]: String(number),
            [hostVariable]: '127.0.0.1',
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        if (child.stdout) createInterface(child.stdout).on('line', (line) => heard.push(line))
        child.stderr?.on('data', (chunk) => {
          errors += chunk
        })
        child.once('close', resolve)
      }),
  )
  onTestFinished(async () => {
    child?.kill('SIGKILL')
    await ended
  })
  return {
    get child() {
      if (!child) throw new Error('not started yet')
      return child
    },
    ended,
    port,
    grpcPort,
    text: () => heard.join('\n') + errors,
    lines: () => heard.map((line) => JSON.parse(line)),
    errors: () => errors,
    waitForOutput: (text) =>
      expect.poll(() => heard.join('\n') + errors, { timeout: 120_000 }).toContain(text),
    probe: async (path) =>
      fetch(`http://127.0.0.1:${await port}${path}`).then(
        ({ status }) => status,
        () => 0,
      ),
  }
}
