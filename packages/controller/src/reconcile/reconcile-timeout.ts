/** A reconcile took longer than allowed; the reason that its signal is aborted with. */
export class ReconcileTimeout extends Error {
  override name = 'ReconcileTimeout'

  constructor(milliseconds: number) {
    super(`not finished within ${milliseconds / 1000} s`)
  }
}
