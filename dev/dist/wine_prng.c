/* bcryptprimitives.dll, which Rust takes randomness from and Debian 12's wine (8.0) lacks. Only for tests under wine. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length) {
    return length <= MAXDWORD && SystemFunction036(buffer, (ULONG)length);
}
