// Clears automatically when nobody is there.

export function startIdle(clear: () => void): void {
    const minutes = document.getElementById("idle") as HTMLSelectElement;
    let timer = 0;
    const again = () => {
        window.clearTimeout(timer);
        timer = window.setTimeout(clear, Number(minutes.value) * 60_000);
    };
    for (const sign of ["pointerdown", "keydown", "change", "drop"]) addEventListener(sign, again, { passive: true });
    again();
}
