import { type ChildProcess, spawn } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { GitError } from '../git-error.ts'
import { killGroup, runProcess } from './run-process.ts'

interface SshAgentOptions {
  readonly privateKey: string
  readonly passphrase?: string | undefined
  /** The PATH in which programs are searched. */
  readonly path: string
  readonly signal?: AbortSignal | undefined
}

/** A private `ssh-agent` with one key, so that the key is in no file. It ends with this process, however that ends. */
export class SshAgent {
  readonly socket: string
  readonly #directory: string
  readonly #child: ChildProcess
  readonly #agentPid: number

  private constructor(socket: string, directory: string, child: ChildProcess, agentPid: number) {
    this.socket = socket
    this.#directory = directory
    this.#child = child
    this.#agentPid = agentPid
  }

  static async start(options: SshAgentOptions): Promise<SshAgent> {
    // A socket's path must stay below 108 bytes, so it cannot lie in the caller's directory.
    const directory = await mkdtemp(join(tmpdir(), 'agents-ssh-'))
    try {
      const agent = await launch(directory, options.path)
      try {
        await addKey(agent.socket, directory, options)
        return new SshAgent(agent.socket, directory, agent.child, agent.pid)
      } catch (error) {
        end(agent.child, agent.pid)
        throw error
      }
    } catch (error) {
      await rm(directory, { recursive: true, force: true })
      throw error
    }
  }

  async close(): Promise<void> {
    end(this.#child, this.#agentPid)
    await rm(this.#directory, { recursive: true, force: true })
  }
}

interface Launched {
  readonly socket: string
  readonly child: ChildProcess
  readonly pid: number
}

/**
 * Starts the agent with a command to run, because it then lives as long as the command. The command is a `cat` that
 * reads from this process: when this process dies, by whatever signal, the pipe closes and the agent ends.
 */
async function launch(directory: string, path: string): Promise<Launched> {
  const socket = join(directory, 'agent')
  const child = spawn(
    'ssh-agent',
    ['-a', socket, 'sh', '-c', 'echo "$SSH_AGENT_PID"; exec cat >/dev/null'],
    {
      cwd: directory,
      env: { PATH: path, HOME: directory },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    },
  )
  child.stdin?.on('error', () => undefined)
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new GitError('refused', 'ssh-agent cannot be started', { cause })),
    )
    child.once('close', () => reject(new GitError('failed', 'ssh-agent exited immediately')))
    child.stdout?.once('data', (chunk: Buffer) => resolve(Number(chunk.toString('utf8').trim())))
  })
  child.unref()
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (
      await access(socket).then(
        () => true,
        () => false,
      )
    )
      return { socket, child, pid }
    await delay(10)
  }
  end(child, pid)
  throw new GitError('failed', 'ssh-agent did not open its socket')
}

function end(child: ChildProcess, agentPid: number): void {
  child.stdin?.end()
  killGroup(child.pid)
  try {
    process.kill(agentPid, 'SIGTERM')
  } catch {
    // It has ended already.
    return
  }
}

/** Fails on a repeated prompt: ssh-add would otherwise ask endlessly. */
const askPass = `#!/bin/sh
case "$1" in Bad*) exit 1 ;; esac
printf '%s\\n' "$AGENTS_PASSPHRASE"
`

async function addKey(
  socket: string,
  directory: string,
  { privateKey, passphrase = '', path, signal }: SshAgentOptions,
): Promise<void> {
  const script = join(directory, 'answer')
  await writeFile(script, askPass, { mode: 0o700 })
  const { exitCode } = await runProcess('ssh-add', ['-q', '-'], {
    cwd: directory,
    env: {
      PATH: path,
      HOME: directory,
      SSH_AUTH_SOCK: socket,
      SSH_ASKPASS: script,
      SSH_ASKPASS_REQUIRE: 'force',
      DISPLAY: ':0',
      AGENTS_PASSPHRASE: passphrase,
    },
    timeoutMs: 10_000,
    signal,
    input: [Buffer.from(`${privateKey.replaceAll('\r\n', '\n').trim()}\n`, 'utf8')],
  })
  if (exitCode !== 0) {
    const why =
      passphrase === ''
        ? 'it is damaged or needs a passphrase'
        : 'it is damaged or its passphrase is wrong'
    throw new GitError('refused', `the SSH key cannot be used: ${why}`)
  }
}
