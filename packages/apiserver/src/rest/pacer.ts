import { setImmediate } from 'node:timers/promises'

/** Lets long loops give way to other requests. `itemsPerLook`: looking at the clock costs more than most items do. */
export interface Pacer {
  /** Has the loop held the thread long enough? Cheap enough to ask for every item. */
  isDue(): boolean
  rest(): Promise<void>
}

const sliceMs = 8

export function createPacer(itemsPerLook = 32): Pacer {
  let began = performance.now()
  let items = 0
  return {
    isDue: () => ++items % itemsPerLook === 0 && performance.now() - began > sliceMs,
    rest: async () => {
      await setImmediate()
      began = performance.now()
    },
  }
}
