/**
 * The first signal that tells the process to stop. Call it before anything is begun: the first process of a container, as in Kubernetes, is
 * not ended by a signal that it does not listen for. It would hear nothing while it starts, take up work, and be killed in the midst of it.
 *
 * A further SIGTERM changes nothing, since the stop has its own bound. A second Ctrl-C ends the process at once.
 */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => void process.on('SIGTERM', resolve).once('SIGINT', resolve));
}
