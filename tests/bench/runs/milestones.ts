/** Events that are awaited by name, whether they have occurred already or not. */
export function milestones<T = void>() {
  const known = new Map<string, PromiseWithResolvers<T>>()
  const of = (name: string): PromiseWithResolvers<T> => {
    const one = known.get(name) ?? Promise.withResolvers<T>()
    known.set(name, one)
    return one
  }
  return {
    reach: (name: string, value: T): void => of(name).resolve(value),
    reached: (name: string): Promise<T> => of(name).promise,
  }
}
