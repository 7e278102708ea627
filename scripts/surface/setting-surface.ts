import { join } from 'node:path'
import { type Declaration, listSettings } from '@agents/config'
import type { Json } from './surface.ts'

/** The declared settings of every process by environment variable. */
export async function settingSurface(root: string): Promise<Json> {
  const jangar = await import(join(root, 'services', 'jangar', 'src', 'index.ts'))
  const gittarget = await import(join(root, 'services', 'gittarget', 'src', 'index.ts'))
  return {
    'control plane': declaredIn(jangar.controlPlane),
    controllers: declaredIn(jangar.controllers),
    'GitTarget operator': declaredIn(gittarget.operator),
  }
}

function declaredIn(declaration: Declaration): Json {
  return Object.fromEntries(
    listSettings(declaration).map(({ setting }) => {
      const { env, chart, secret, presence } = setting
      const fallback =
        presence.kind === 'defaulted' ? { default: setting.show(presence.fallback) } : {}
      return [env, { chart, secret, presence: presence.kind, ...fallback }]
    }),
  )
}
