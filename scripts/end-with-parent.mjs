// npm runs a script through a shell. SIGTERM to npm (systemd, CI, docker stop) ends npm and that shell, but the shell
// does not pass the signal on, so this process would be left as an orphan. It stops itself when its parent has ended.
import { isMainThread } from 'node:worker_threads'

const pollMs = 250

// Windows keeps the id of a parent that has ended.
if (isMainThread && process.platform !== 'win32') {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, pollMs)
  timer.unref()
}
