/** A wait that can be ended early. */
export class WakeableTimer {
  #wake: (() => void) | undefined

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.#wake = done
    })
  }

  wake(): void {
    this.#wake?.()
  }
}
