import { setImmediate } from 'node:timers/promises'

/** Lets long loops give way to other requests. */
export interface Pacer {
  /** Has the loop held the thread long enough? Cheap enough to ask for every item. */
  isDue(): boolean
  rest(): Promise<void>
}

const sliceMs = 8
/** Looking at the clock costs more than most items do. */
const itemsPerLook = 32

export function createPacer(): Pacer {
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
