import { execFile } from 'node:child_process'
import { emptyArchive, emptyImage, emptyingArguments } from './empty-folder.ts'

/** A program that runs images, with the command line of docker. */
export type EngineName = 'docker' | 'podman'

/** Configuration of an image. */
export interface ImageFacts {
  /** A name or a number, with or without a group; empty for root. */
  readonly user: string
  /** Signal that asks its program to stop, if it is not SIGTERM. */
  readonly stopSignal: string | undefined
}

/** State of a container in its engine. */
export interface EngineState {
  /** False if it was created, but its program could not be started. */
  readonly hasStarted: boolean
  readonly isRunning: boolean
  readonly exitCode: number
  readonly isOutOfMemory: boolean
}

interface EngineOptions {
  readonly name: EngineName
  /** The complete environment of the engine's program, with its settings and the address of its daemon. */
  readonly environment: Readonly<Record<string, string>>
  /** Labels of the containers of this node; each of them alone identifies a container as ours. */
  readonly labels: readonly string[]
}

/** The engine failed to perform a request. */
export class EngineError extends Error {
  override name = 'EngineError'
}

/** A container engine, used through its command-line program. */
export class ContainerEngine {
  readonly name: EngineName
  readonly environment: Readonly<Record<string, string>>
  readonly labels: readonly string[]

  constructor({ name, environment, labels }: EngineOptions) {
    this.name = name
    this.environment = environment
    this.labels = labels
  }

  /** Version of the engine. Fails if the program is missing or cannot reach its daemon. */
  async version(): Promise<string> {
    const field = this.name === 'docker' ? '{{.ServerVersion}}' : '{{.Version.Version}}'
    const version = (await this.#ask(['info', '--format', field])).trim()
    // Docker's program succeeds without its daemon.
    if (version === '') throw new EngineError('the engine did not report its version')
    return version
  }

  /** Undefined if the image is not on this machine. */
  async image(reference: string): Promise<ImageFacts | undefined> {
    const text = await this.#find(['image', 'inspect', '--format', '{{json .Config}}', reference])
    if (text === undefined) return undefined
    const config = (JSON.parse(text) ?? {}) as { User?: string; StopSignal?: string }
    return { user: config.User ?? '', stopSignal: config.StopSignal || undefined }
  }

  async pull(reference: string): Promise<void> {
    await this.#ask(['pull', '--quiet', reference], { timeout: longestPullMs })
  }

  /** Undefined if the container does not exist. */
  async state(name: string): Promise<EngineState | undefined> {
    const text = await this.#find(['container', 'inspect', '--format', '{{json .State}}', name])
    if (text === undefined) return undefined
    const state = JSON.parse(text) as Record<string, unknown>
    return {
      hasStarted: typeof state.StartedAt === 'string' && !state.StartedAt.startsWith('0001-'),
      isRunning: state.Running === true,
      exitCode: Number(state.ExitCode),
      isOutOfMemory: state.OOMKilled === true,
    }
  }

  /** Its first process on this machine; undefined if it does not run, or runs in a virtual machine. */
  async processId(name: string): Promise<number | undefined> {
    const text = await this.#find(['container', 'inspect', '--format', '{{.State.Pid}}', name])
    const pid = Number(text)
    return Number.isInteger(pid) && pid > 1 ? pid : undefined
  }

  /** False if no container of that name is running, or not yet. */
  async signal(name: string, signal: string): Promise<boolean> {
    return this.#ask(['kill', '--signal', signal, name]).then(
      () => true,
      () => false,
    )
  }

  /** Kills and removes the container. Succeeds if it does not exist. */
  async remove(name: string): Promise<void> {
    // Without a time, podman asks the program to stop and waits.
    const atOnce = this.name === 'podman' ? ['--time', '0'] : []
    await this.#find(['rm', '--force', '--volumes', ...atOnce, name])
  }

  /** The names of all containers of this node, whatever became of them. */
  async containers(): Promise<string[]> {
    const found = new Set<string>()
    for (const label of this.labels) {
      const filter = ['--filter', `label=${label}`]
      const text = await this.#ask(['ps', '--all', ...filter, '--format', '{{.Names}}'])
      for (const name of text.split('\n')) if (name !== '') found.add(name)
    }
    return [...found]
  }

  /** Takes away what containers have left in a folder as users whom we are not. */
  async emptyFolder(path: string): Promise<void> {
    if (this.name === 'podman') {
      await this.#ask(['unshare', 'find', path, '-mindepth', '1', '-delete'])
      return
    }
    // Only in a container are we the super-user. Its programs are those of the machine: no image is trusted with that.
    if ((await this.image(emptyImage)) === undefined) {
      await this.#ask(['import', '-', emptyImage], { input: emptyArchive })
    }
    await this.#ask(emptyingArguments(path))
  }

  async #find(args: readonly string[]): Promise<string | undefined> {
    try {
      return await this.#ask(args)
    } catch (error) {
      const { message = '' } = error instanceof EngineError ? error : {}
      if (unknownThing.test(message) && !isNoReference(message)) return undefined
      throw error
    }
  }

  #ask(
    args: readonly string[],
    { timeout = longestAnswerMs, input = Buffer.alloc(0) } = {},
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { env: this.environment, timeout, maxBuffer: 1 << 24 }
      const child = execFile(this.name, args, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else reject(new EngineError(lastProblem(stderr) ?? error.message, { cause: error }))
      })
      // Whoever does not listen says himself what is wrong.
      child.stdin?.on('error', () => undefined).end(input)
    })
  }
}

const longestAnswerMs = 60_000
const longestPullMs = 30 * 60_000

const unknownThing = /no such (container|image|object)|image not known|no container with name/i

/** What engines say about an image that cannot have such a name; docker says as well that there is none. */
export function isNoReference(problem: string): boolean {
  return /invalid reference format|repository name must be lowercase/i.test(problem)
}

/** What went wrong, of all that an engine said: before it may stand warnings, and after it advice. */
export function lastProblem(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const found = lines.findLast((line) => /^(docker: )?error\b/i.test(line)) ?? lines.at(-1)
  return found?.replace(/^(docker: )?Error( response from daemon)?:\s*/, '')
}
