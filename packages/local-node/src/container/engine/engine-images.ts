import type { Clock, EventRecorder } from '@agents/controller'
import type { Container, Pod } from '@agents/kube'
import { ConfigError } from '../../pod-config/config-error.ts'
import { type ContainerEngine, type ImageFacts, isNoReference } from './engine.ts'

interface Failure {
  readonly message: string
  readonly tries: number
  readonly retryAt: number
  isTold: boolean
}

/** Waits between pulls of an image: `baseMs` after the first failure, doubling up to `capMs`. */
interface PullBackoff {
  readonly baseMs: number
  readonly capMs: number
}

interface ImageOptions {
  readonly engine: Pick<ContainerEngine, 'image' | 'pull'>
  readonly clock: Clock
  readonly backoff: PullBackoff
  readonly events: EventRecorder | undefined
}

/** Pulls images according to the pull policies of containers. */
export class EngineImages {
  readonly #options: ImageOptions
  /** By image, because several pods may need it at once. */
  readonly #pulls = new Map<string, Promise<void>>()
  /** By pod and image. */
  readonly #waiting = new Map<string, Promise<void>>()
  readonly #failures = new Map<string, Failure>()
  /** Images that were pulled for a container that has not started since. */
  readonly #fresh = new Set<string>()

  constructor(options: ImageOptions) {
    this.#options = options
  }

  /**
   * Resolves with the image's configuration once it exists. Throws a ConfigError with the reason of a kubelet until
   * then.
   */
  async ready(pod: Pod, { name, image = '', imagePullPolicy }: Container): Promise<ImageFacts> {
    const key = `${pod.metadata.uid}/${name}/${image}`
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) throw pulling(waiting)
    const found = await this.#find(image)
    if (found !== undefined && (imagePullPolicy !== 'Always' || this.#fresh.has(key))) {
      this.#fresh.delete(key)
      this.#failures.delete(key)
      return found
    }
    if (imagePullPolicy === 'Never') {
      const problem = `Container image "${image}" is not present with pull policy of Never`
      throw new ConfigError(problem, 'ErrImageNeverPull')
    }
    this.#refuseFailed(key, image)
    throw pulling(this.#pull(pod, image, key))
  }

  #find(image: string): Promise<ImageFacts | undefined> {
    return this.#options.engine.image(image).catch((error: Error) => {
      if (!isNoReference(error.message)) throw error
      const problem = `Failed to apply default image tag "${image}": ${error.message}`
      throw new ConfigError(problem, 'InvalidImageName')
    })
  }

  /** Reports the error once, and a back-off after that. */
  #refuseFailed(key: string, image: string): void {
    const failure = this.#failures.get(key)
    if (failure === undefined) return
    if (!failure.isTold) {
      failure.isTold = true
      throw new ConfigError(failure.message, 'ErrImagePull')
    }
    if (this.#options.clock.elapsed() >= failure.retryAt) return
    const problem = `Back-off pulling image "${image}": ErrImagePull: ${failure.message}`
    throw new ConfigError(problem, 'ImagePullBackOff')
  }

  #pull(pod: Pod, image: string, key: string): Promise<void> {
    this.#note(pod, 'Pulling', `Pulling image "${image}"`)
    const waiting = this.#shared(image)
      .then(
        () => {
          this.#fresh.add(key)
          this.#note(pod, 'Pulled', `Successfully pulled image "${image}"`)
        },
        (error: unknown) => this.#fail(key, image, error),
      )
      .finally(() => this.#waiting.delete(key))
    this.#waiting.set(key, waiting)
    return waiting
  }

  #shared(image: string): Promise<void> {
    const known = this.#pulls.get(image)
    if (known !== undefined) return known
    const pull = this.#options.engine.pull(image).finally(() => this.#pulls.delete(image))
    this.#pulls.set(image, pull)
    return pull
  }

  #fail(key: string, image: string, error: unknown): void {
    const { clock, backoff } = this.#options
    const now = clock.elapsed()
    const tries = (this.#failures.get(key)?.tries ?? 0) + 1
    const pause = Math.min(backoff.baseMs * 2 ** (tries - 1), backoff.capMs)
    const reason = error instanceof Error ? error.message : String(error)
    const message = `failed to pull image "${image}": ${reason}`
    this.#forgetOld(now)
    this.#failures.set(key, { message, tries, retryAt: now + pause, isTold: false })
  }

  /** Removes the failures of deleted pods, which do not ask again. */
  #forgetOld(now: number): void {
    const { capMs } = this.#options.backoff
    for (const [key, { retryAt }] of this.#failures) {
      if (retryAt + 2 * capMs < now) this.#failures.delete(key)
    }
  }

  #note(pod: Pod, reason: string, message: string): void {
    this.#options.events?.record(pod, { type: 'Normal', reason, message })
  }
}

function pulling(until: Promise<void>): ConfigError {
  return new ConfigError('', 'ContainerCreating', until)
}
