import type { KubeObject } from '@agents/kube'
import { LuaFactory, LuaLibraries } from 'wasmoon'
import { readScript, type Style, styles } from './fixtures.ts'

export interface LuaJudge {
  /** Status and message, as a script answers of an object. */
  ask(style: Style, object: KubeObject): Promise<unknown>
}

/** Our scripts in a Lua that knows no more than Argo CD's: no string library above all. */
export async function startLua(): Promise<LuaJudge> {
  const factory = new LuaFactory()
  const scripts = new Map(
    await Promise.all(styles.map(async (style) => [style, await readScript(style)] as const)),
  )
  return {
    ask: async (style, object) => {
      // Tables instead of proxies: a proxy would hide a script that indexes what is not there.
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
