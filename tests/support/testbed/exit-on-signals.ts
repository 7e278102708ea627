const endings = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/**
 * Turns a terminating signal into an ordinary exit, which stops the child programs. Without it they would keep running
 * unless the terminal signals them too. For scripts only: test runners handle signals themselves.
 */
export function exitOnSignals(): void {
  for (const [signal, number] of Object.entries(endings)) {
    process.once(signal, () => process.exit(128 + number))
  }
}
