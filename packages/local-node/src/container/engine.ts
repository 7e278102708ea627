import { execFile } from 'node:child_process'
import { emptyArchive, emptyImage, emptyingArguments } from './empty-folder.ts'

/** A program that runs images, with the command line of docker. */
export type EngineName = 'docker' | 'podman'

/** What an image says about itself. */
export interface ImageFacts {
  /** A name or a number, with or without a group; empty for the super-user. */
  readonly user: string
  /** What asks its program to end, where that is not SIGTERM. */
  readonly stopSignal: string | undefined
}

/** A container as its engine knows it. */
export interface EngineState {
  /** False: it was made, but its program could not be started. */
  readonly hasStarted: boolean
  readonly isRunning: boolean
  readonly exitCode: number
  readonly isOutOfMemory: boolean
}

export interface EngineOptions {
  readonly name: EngineName
  /** All that its program is given: where it finds its settings and its daemon. */
  readonly environment: Readonly<Record<string, string>>
  /** Tell the containers of this node from others: each by itself says that one is ours. */
  readonly labels: readonly string[]
}

/** The engine could not do what it was asked to. */
export class EngineError extends Error {
  override name = 'EngineError'
}

/** Asks a container engine through its program. */
export class ContainerEngine {
  readonly name: EngineName
  readonly environment: Readonly<Record<string, string>>
  readonly labels: readonly string[]

  constructor({ name, environment, labels }: EngineOptions) {
    this.name = name
    this.environment = environment
    this.labels = labels
  }

  /** Its version. Fails where the program is missing or has nobody to talk to. */
  async version(): Promise<string> {
    const field = this.name === 'docker' ? '{{.ServerVersion}}' : '{{.Version.Version}}'
    const version = (await this.#ask(['info', '--format', field])).trim()
    // Docker's program is content without its daemon.
    if (version === '') throw new EngineError('it does not say its version')
    return version
  }

  /** Undefined where it is not on this machine. */
  async image(reference: string): Promise<ImageFacts | undefined> {
    const text = await this.#find(['image', 'inspect', '--format', '{{json .Config}}', reference])
    if (text === undefined) return undefined
    const config = (JSON.parse(text) ?? {}) as { User?: string; StopSignal?: string }
    return { user: config.User ?? '', stopSignal: config.StopSignal || undefined }
  }

  async pull(reference: string): Promise<void> {
    await this.#ask(['pull', '--quiet', reference], { timeout: longestPullMs })
  }

  /** Undefined where there is no such container. */
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

  /** False: nothing of that name runs, or not yet. */
  async signal(name: string, signal: string): Promise<boolean> {
    return this.#ask(['kill', '--signal', signal, name]).then(
      () => true,
      () => false,
    )
  }

  /** Ends the container at once and takes it away; one that is gone is as good. */
  async remove(name: string): Promise<void> {
    // Without a time podman asks the program first and waits for its answer.
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
export function lastProblem(said: string): string | undefined {
  const lines = said.split('\n').filter((line) => line.trim() !== '')
  const found = lines.findLast((line) => /^(docker: )?error\b/i.test(line)) ?? lines.at(-1)
  return found?.replace(/^(docker: )?Error( response from daemon)?:\s*/, '')
}
