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

interface EnsuredChild<T extends KubeObject> {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly object: T
}

/** The objects of one kind that belong to owners of another kind: found by name, created once. */
export class Children<T extends KubeObject> {
  readonly #api: ObjectApi<T>
  readonly #written: OwnWrites<T>

  constructor(api: ObjectApi<T>, cache: ChangeSource<T>) {
    this.#api = api
    this.#written = new OwnWrites(cache)
    // A read drops the remembered copy once the cache has it.
    const seen = ({ metadata }: T): void => void this.#written.get(formatKey(metadata))
    cache.subscribe({
      onAdd: seen,
      onUpdate: (_before, after) => seen(after),
      onDelete: ({ metadata }) => this.#written.forget(formatKey(metadata)),
    })
  }

  /** The cached object, or the last one written here if the cache is behind. */
  get(key: { readonly namespace?: string | undefined; readonly name: string }): T | undefined {
    return this.#written.get(formatKey(key))
  }

  /**
   * Creates the child unless it exists, and never twice: the caller always passes the same name. Throws an
   * OwnershipError if another object controls a child of that name.
   */
  async createOrObserve(
    child: New<T> & { metadata: { name: string } },
    owner: KubeObject,
    signal?: AbortSignal,
  ): Promise<EnsuredChild<T>> {
    const known = this.get(child.metadata)
    if (known) return observed(known, owner)
    const ensured = await createOnce(this.#api, child, owner, signal)
    // Only children of this owner: the cache may not receive events of others, nor their deletion.
    this.#written.remember(ensured.object)
    return ensured
  }

  /** Like `createOrObserve`, and patches an existing child to the result of `change`, except for its status. */
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

/** Like `Children.createOrObserve`, for children without a cache: an existing child is read from the server. */
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

/**
 * If the child was deleted between both requests, the first error is thrown and the next reconcile creates the child.
 */
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

/** The types do not express that metadata without a name is still metadata. */
function owned<T extends KubeObject>(child: New<T>, owner: KubeObject): New<T> {
  return withController(child as unknown as T, owner) as unknown as New<T>
}

/** The child, if this owner controls it: not another object, nor an earlier owner of the same name. */
function observed<T extends KubeObject>(object: T, owner: KubeObject): EnsuredChild<T> {
  if (isControlledBy(object, owner)) return { kind: 'unchanged', object }
  const controller = controllerOf(object)
  const whose = controller
    ? `${controller.kind} ${controller.name} of ${controller.apiVersion} (${controller.uid})`
    : 'nobody'
  throw new OwnershipError(
    `${object.kind} ${object.metadata.name} already exists and is controlled by ${whose}`,
  )
}
