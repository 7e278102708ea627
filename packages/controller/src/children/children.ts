import {
  controllerOf,
  formatKey,
  isAlreadyExists,
  isControlledBy,
  isNotFound,
  type KubeObject,
  mergePatch,
  type New,
  OwnershipError,
  withController,
} from '@agents/kube'
import type { ObjectApi } from '../objects/object-api.ts'
import { OwnWrites } from '../objects/own-writes.ts'
import type { ChangeSource } from '../sources/informer.ts'

export interface EnsuredChild<T extends KubeObject> {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly object: T
}

/** The objects of one kind that objects of another own: found by name, created once. */
export class Children<T extends KubeObject> {
  readonly #api: ObjectApi<T>
  readonly #written: OwnWrites<T>

  constructor(api: ObjectApi<T>, cache: ChangeSource<T>) {
    this.#api = api
    this.#written = new OwnWrites(cache)
    // What the cache has seen is not held twice: asking for it lets go of the copy.
    const seen = ({ metadata }: T): void => void this.#written.get(formatKey(metadata))
    cache.subscribe({
      onAdd: seen,
      onUpdate: (_before, after) => seen(after),
      onDelete: ({ metadata }) => this.#written.forget(formatKey(metadata)),
    })
  }

  /** From the cache, or, while that is behind, what was last written here. */
  get(key: { readonly namespace?: string | undefined; readonly name: string }): T | undefined {
    return this.#written.get(formatKey(key))
  }

  /**
   * Creates the child unless it is there, and never twice: the name is the caller's and always the same. A child of that name
   * that somebody else controls is an OwnershipError.
   */
  async createOrObserve(
    child: New<T> & { metadata: { name: string } },
    owner: KubeObject,
    signal?: AbortSignal,
  ): Promise<EnsuredChild<T>> {
    const known = this.get(child.metadata)
    if (known) return observed(known, owner)
    const ensured = await createOnce(this.#api, child, owner, signal)
    // Only what is the owner's: the cache may never hear of somebody else's, nor of its going.
    this.#written.remember(ensured.object)
    return ensured
  }

  /** As `createOrObserve`; a child that is there is changed to what `change` makes of it, its status apart. */
  async createOrUpdate(
    child: New<T> & { metadata: { name: string } },
    owner: KubeObject,
    change: (current: T) => T,
    signal?: AbortSignal,
  ): Promise<EnsuredChild<T>> {
    const ensured = await this.createOrObserve(child, owner, signal)
    if (ensured.kind === 'created') return ensured
    const { status: _before, ...current } = ensured.object
    const { status: _after, ...wanted } = change(ensured.object)
    const patch = mergePatch(current, wanted)
    if (!patch) return ensured
    const { resourceVersion } = ensured.object.metadata
    const metadata = { ...(patch.metadata as object | undefined), resourceVersion }
    const object = await this.#api.patch(ensured.object.metadata, { ...patch, metadata }, signal)
    this.#written.remember(object)
    return { kind: 'updated', object }
  }
}

/** As `Children.createOrObserve`, for children that no cache shows: what is there is found by asking for it. */
export async function createOnce<T extends KubeObject>(
  api: Pick<ObjectApi<T>, 'create' | 'get'>,
  child: New<T> & { metadata: { name: string } },
  owner: KubeObject,
  signal?: AbortSignal,
): Promise<EnsuredChild<T>> {
  try {
    return { kind: 'created', object: await api.create(owned(child, owner), signal) }
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return observed(await existing(api, child.metadata, error, signal), owner)
  }
}

/** Gone between the two requests: the first error stands, and the next pass creates it. */
async function existing<T extends KubeObject>(
  api: Pick<ObjectApi<T>, 'get'>,
  key: { readonly namespace?: string | undefined; readonly name: string },
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<T> {
  try {
    return await api.get(key, signal)
  } catch (reading) {
    throw isNotFound(reading) ? error : reading
  }
}

/** The types cannot tell that metadata which may lack a name is metadata still. */
function owned<T extends KubeObject>(child: New<T>, owner: KubeObject): New<T> {
  return withController(child as unknown as T, owner) as unknown as New<T>
}

/** Not somebody else's, nor that of an earlier owner of the same name. */
function observed<T extends KubeObject>(object: T, owner: KubeObject): EnsuredChild<T> {
  if (isControlledBy(object, owner)) return { kind: 'unchanged', object }
  const controller = controllerOf(object)
  const whose = controller ? `${controller.kind} ${controller.name} (${controller.uid})` : 'nobody'
  throw new OwnershipError(
    `${object.kind} ${object.metadata.name} is there already and controlled by ${whose}`,
  )
}
