/** Whole seconds, as every Kubernetes client writes and expects `metav1.Time`. */
export function rfc3339(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
