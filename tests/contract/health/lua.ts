import type { KubeObject } from '@agents/kube'
import { LuaFactory, LuaLibraries } from 'wasmoon'
import { readScript, type Style, styles } from './fixtures.ts'

interface LuaEvaluator {
  /** Status and message that the script returns for the object. */
  ask(style: Style, object: KubeObject): Promise<unknown>
}

/** Runs our scripts in a Lua with the same libraries as in Argo CD, in particular without string. */
export async function startLua(): Promise<LuaEvaluator> {
  const factory = new LuaFactory()
  const scripts = new Map(
    await Promise.all(styles.map(async (style) => [style, await readScript(style)] as const)),
  )
  return {
    ask: async (style, object) => {
      // Tables instead of proxies: a proxy would hide that a script indexes a missing field.
      const lua = await factory.createEngine({ openStandardLibs: false, enableProxy: false })
      try {
        for (const library of [LuaLibraries.Base, LuaLibraries.Table]) {
          lua.global.loadLibrary(library)
        }
        lua.global.set('obj', object)
        return await lua.doString(scripts.get(style) ?? '')
      } finally {
        lua.global.close()
      }
    },
  }
}
