/** Loads the protocols of exec, attach and port-forward, which most processes never need. */
export function loadStreaming() {
  return import('./streaming.ts')
}
