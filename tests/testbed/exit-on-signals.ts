const endings = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/**
 * Makes a signal that ends this process an ordinary exit, which takes along the programs that were started. Without it they
 * would go on, unless the terminal tells them too. For scripts: test runners do as they see fit.
 */
export const exitOnSignals = (): void => {
  for (const [signal, number] of Object.entries(endings)) {
    process.once(signal, () => process.exit(128 + number))
  }
}
