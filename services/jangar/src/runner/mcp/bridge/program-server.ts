import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { linesOf } from '../lines.ts'
import type { McpLaunch } from '../protocol.ts'
import type { BridgeEnds } from './run-bridge.ts'
import type { Traffic } from './traffic.ts'

type ProgramLaunch = Extract<McpLaunch, { command: string }>

/** The limit of one message; larger ones end the server rather than the memory of the container. */
export const longestMessageBytes = 64 * 1024 * 1024

const graceMs = 2000

/** Runs the program, and connects it with the CLI. Returns the exit code of the bridge. */
export async function serveProgram(
  { command, args, env, cwd }: ProgramLaunch,
  traffic: Traffic,
  { input, output, report, stop }: BridgeEnds,
): Promise<number> {
  const child = spawn(command, args, { env, cwd, stdio: 'pipe' })
  let isAsked = false
  const end = () => {
    if (isAsked) return
    isAsked = true
    child.stdin.end()
    setTimeout(() => child.kill('SIGTERM'), graceMs).unref()
    setTimeout(() => child.kill('SIGKILL'), 2 * graceMs).unref()
  }
  stop.addEventListener('abort', () => {
    end()
    child.kill('SIGTERM')
  })
  child.stdin.on('error', () => {
    // The end of the program is reported, not that it no longer reads.
  })
  const fromClient = async () => {
    for await (const line of linesOf(input, longestMessageBytes)) {
      const passage = traffic.toServer(line)
      if ('reply' in passage) await send(output, passage.reply)
      else await send(child.stdin, passage.forward)
    }
    end()
  }
  fromClient().catch(end)
  const fromServer = async () => {
    for await (const line of linesOf(child.stdout, longestMessageBytes)) {
      await send(output, traffic.toClient(line))
    }
  }
  const complaints = async () => {
    for await (const line of linesOf(child.stderr, longestMessageBytes)) {
      // Not for the CLI, which would write it to a file as it is. The runner masks it.
      report({ words: line })
    }
  }
  const exited = exitOf(child, command)
  await Promise.allSettled([fromServer(), complaints()])
  const { how, code } = await exited
  if (!isAsked) report({ ended: how })
  return code
}

function exitOf(child: ReturnType<typeof spawn>, command: string) {
  return new Promise<{ readonly how: string; readonly code: number }>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT'
      const how = isMissing
        ? `the program ${command} was not found`
        : `the program ${command} cannot be started: ${error.code ?? 'unknown error'}`
      resolve({ how, code: isMissing ? 127 : 126 })
    })
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `killed by ${signal}`
      resolve({ how, code: code ?? 1 })
    })
  })
}

/** Waits while the reader is slow. A reader that has gone shows by its end. */
export async function send(stream: Writable, line: string): Promise<void> {
  if (!stream.writable || stream.write(`${line}\n`)) return
  await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => undefined)
}
