// Loaded before the service by tests of its end: each signal makes something go wrong that no test may ask for otherwise.
const wrong = {
  SIGUSR2: () => {
    throw new Error('thrown by the test');
  },
  SIGWINCH: () => void Promise.reject(new Error('rejected by the test')),
};
for (const [signal, act] of Object.entries(wrong)) process.on(signal, () => setTimeout(act));

// A service that cannot even begin.
if (process.env.CRASHES_AT_ONCE === 'yes' && process.argv.includes('--no-supervise'))
  process.kill(process.pid, 'SIGKILL');
