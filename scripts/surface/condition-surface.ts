import { join } from 'node:path'
import type { Json } from './surface.ts'

interface Conditions {
  readonly summary: string
  readonly all: readonly { readonly type: string; readonly reasons: object }[]
}

/** The condition types of every kind, with the reasons that each can have. */
export async function conditionSurface(root: string): Promise<Json> {
  const services = join(root, 'services')
  const apis = await Promise.all([
    import(join(services, 'jangar', 'api', 'src', 'index.ts')),
    import(join(services, 'gittarget', 'api', 'src', 'index.ts')),
  ])
  const kinds = apis.flatMap(({ conditionsByKind }) => Object.entries<Conditions>(conditionsByKind))
  return Object.fromEntries(
    kinds.map(([kind, { summary, all }]) => [
      kind,
      {
        summary,
        reasons: Object.fromEntries(all.map(({ type, reasons }) => [type, Object.keys(reasons)])),
      },
    ]),
  )
}
