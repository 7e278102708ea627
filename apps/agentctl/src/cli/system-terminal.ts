import type { Terminal } from './command-context.ts'

/** The terminal of a process. */
export function systemTerminal(
  system: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>,
): Terminal {
  const { stdout, stderr } = system
  return {
    // Opened when it is used: a process that has opened its input waits for it.
    get stdin() {
      return system.stdin
    },
    ...{ stdout, stderr },
    get isInteractive() {
      return system.stdin.isTTY === true && stdout.isTTY === true
    },
    makeRaw: () => {
      const { stdin } = system
      if (stdin.isTTY !== true) return () => undefined
      stdin.setRawMode(true)
      return () => void stdin.setRawMode(false)
    },
    onResize: (resize) => {
      const report = (): void => resize({ width: stdout.columns ?? 80, height: stdout.rows ?? 24 })
      report()
      stdout.on('resize', report)
      return () => void stdout.off('resize', report)
    },
  }
}
